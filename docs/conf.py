"""The site: Markdown pages of this folder, and the reference from the docstrings.

`make docs` builds it into ``build/site``. Neither the build nor the pages use the network: fonts are those of the system,
formulas are MathML, and names of other libraries are not links.
"""

import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import hyperhedge

project = "hyperhedge"
author = "The hyperhedge developers"
copyright = f"{author}, MIT licence"  # noqa: A001 - Sphinx's name
release = version = hyperhedge.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "command_line",
    "host_markdown",
    "mathml",
    "real_names",
]
exclude_patterns = ["_ext"]
nitpicky = True
nitpick_ignore = [  # imported for type checkers only, since their modules load torch
    ("py:class", "DrawnPath"),
    ("py:class", "PathLike"),
    ("py:class", "Spectra"),
]

# Markdown as code hosts read it: anchors for headings, and $formulas$.
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "signature"
autodoc_class_signature = "mixed"
autosummary_generate = False
napoleon_google_docstring = False
napoleon_custom_sections = [("Attributes", "params_style")]  # a list like that of the parameters
napoleon_use_rtype = False
napoleon_attr_annotations = False  # types of attributes are in the signature
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 110
add_module_names = False
maximum_signature_line_length = 110
html_math_renderer = "mathml"

copybutton_exclude = ".linenos, .gp, .go"  # prompts and output are not copied

html_theme = "furo"
html_title = "hyperhedge"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
pygments_style = "default"
pygments_dark_style = "github-dark"


def setup(app: Sphinx) -> None:
    """Adapt docstrings and signatures before Sphinx reads them."""
    app.connect("autodoc-process-docstring", begin_with_nothing, priority=400)  # before napoleon
    app.connect("autodoc-process-signature", without_factories)


def begin_with_nothing(_app: Sphinx, what: str, _name: str, _of: Any, _options: Any, lines: list[str]) -> None:
    """Keep napoleon from reading the text before a colon, in the docstring of a property, as its type."""
    if what in ("attribute", "data", "property"):
        lines[:0] = ["..", ""]  # an empty comment


def without_factories(
    _app: Sphinx, _what: str, _name: str, _of: Any, _options: Any, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Write the default factories of dataclasses as dots; Sphinx cannot parse Python's notation for them."""
    return signature and signature.replace("<factory>", "..."), returns
