"""The site builds without a warning, loads nothing from elsewhere, has no broken links, and lists every public name."""

import importlib
import posixpath
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from filelock import FileLock
from sphinx.util.inventory import InventoryFile

import hyperhedge as hh

ROOT = Path(__file__).parent.parent
MODULES = """convert data diffusion.batch diffusion.denoiser diffusion.fields diffusion.laplacians diffusion.matrix_free
    diffusion.network diffusion.process diffusion.projection diffusion.projection.transport diffusion.samplers
    diffusion.schedules errors io metrics metrics.motifs models models.base models.hedge plotting report train"""
LOADING = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "object": "data",
}
LOADING_LINKS = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload", "manifest"}
PHONE = 390


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site, once for all processes of the tests."""
    folder = tmp_path_factory.getbasetemp()
    if folder.name.startswith("popen-"):  # one of several
        folder = folder.parent
    built, log = folder / "site", folder / "site.log"
    with FileLock(folder / "site.lock"):
        if not log.exists():
            command = [sys.executable, "-m", "sphinx", "--nitpicky", "--keep-going", "-q", "-E", "docs", str(built)]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            log.write_text(done.stdout + done.stderr)
    assert log.read_text() == ""
    return built


class Page(HTMLParser):
    """What a page links to, what it loads, and what can be linked to in it."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], {""}
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.anchors |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        if tag in LOADING and attributes.get(LOADING[tag]):
            self.loads.append(attributes[LOADING[tag]])
        if tag == "link" and LOADING_LINKS & set(attributes.get("rel", "").split()):
            self.loads.append(attributes["href"])
        self.loads += [source.split()[0] for source in attributes.get("srcset", "").split(",") if source.strip()]


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in sorted(site.rglob("*.html")) if "_static" not in path.parts}


def test_links_lead_to_pages_and_anchors(pages):
    assert len(pages) > 25
    broken = []
    for path, page in pages.items():
        for link in page.links:
            url = urlsplit(link)
            if url.scheme or url.netloc:
                continue
            target = (path.parent / unquote(url.path)).resolve() if url.path else path
            is_anchor = target in pages and unquote(url.fragment) in pages[target].anchors
            if not (is_anchor or (target not in pages and target.is_file())):
                broken.append((path.name, link))
    assert broken == []


def test_nothing_is_loaded_from_elsewhere(site, pages):
    broken = []
    for path, page in pages.items():
        for link in page.loads:
            url = urlsplit(link)
            if url.scheme == "data":
                continue
            if url.scheme or url.netloc or not (path.parent / unquote(url.path)).is_file():
                broken.append((path.name, link))
    assert broken == []
    for style in site.rglob("*.css"):
        outside = re.findall(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')\s]+)""", style.read_text())
        assert outside == [], style


def test_pages_that_load_or_lead_astray_would_be_noticed(tmp_path):
    (tmp_path / "x.html").write_text(
        '<a href="y.html#z"></a><script src="https://cdn/x.js"></script><link rel="stylesheet" href="//fonts/x.css">'
        '<img src="x.png" srcset="https://a/b.png 2x">'
    )
    page = Page(tmp_path / "x.html")
    assert page.links == ["y.html#z"]
    assert page.loads == ["https://cdn/x.js", "//fonts/x.css", "x.png", "https://a/b.png"]


def test_every_public_name_has_an_entry(site):
    with (site / "objects.inv").open("rb") as stream:
        inventory = InventoryFile.load(stream, "", posixpath.join)
    names = {name for kind, entries in inventory.items() if kind.startswith("py:") for name in entries}
    assert {f"hyperhedge.{name}" for name in hh.__all__} <= names
    for module in MODULES.split():
        public = set(importlib.import_module(f"hyperhedge.{module}").__all__) - set(hh.__all__)
        homes = ("errors", "models", module)  # where a name that several modules offer has its entry
        missing = [name for name in public if not {f"hyperhedge.{home}.{name}" for home in homes} & names]
        assert missing == [], module


def test_every_command_has_a_section(site):
    text = (site / "reference" / "command-line.html").read_text()
    sections = set(re.findall(r'<section id="(hyperhedge[\w-]*)"', text))
    top = {"info", "convert", "demo", "plot", "animate", "evaluate", "null-test", "fit", "sample", "bench", "data"}
    assert {f"hyperhedge-{name}" for name in top} | {"hyperhedge-data-bank", "hyperhedge-bench-run"} <= sections
    assert "--max-time" in text
    assert "[bold]" not in text


def test_formulas_are_mathml(site):
    text = (site / "reference" / "process.html").read_text()
    assert text.count("<math") > 50
    assert "\\mathcal" not in re.sub(r"<annotation.*?</annotation>", "", text, flags=re.DOTALL)


@pytest.mark.parametrize(
    "name",
    [
        "index",
        "architecture",
        "method",
        "theory",
        "hedge",
        "results",
        "gallery",
        "reference/process",
        "reference/command-line",
    ],
)
def test_a_page_loads_without_complaints_and_fits_a_phone(browser, site, name):
    browser.open(site / f"{name}.html", width=PHONE, height=844)
    local = (site.as_uri(), "data:")  # its files, and embedded pictures
    assert [complaint for complaint in browser.complaints() if not str(complaint).startswith(local)] == []
    assert browser.run("document.documentElement.scrollWidth") <= PHONE
    assert browser.run("[...document.images].every((image) => image.complete && image.naturalWidth > 0)") is True


@pytest.mark.parametrize("width", [PHONE, 1280])
@pytest.mark.parametrize("name", ["plotting", "how-to/convert", "reference/command-line"])
def test_code_that_is_wider_than_its_box_scrolls_and_shows_it(browser, site, name, width):
    browser.open(site / f"{name}.html", width=width, height=844)
    shown = browser.run(
        "[...document.querySelectorAll('.highlight pre')].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => {"
        " const style = getComputedStyle(e); e.scrollLeft = 9999;"
        " const end = Math.abs(e.scrollLeft + e.clientWidth - e.scrollWidth) <= 1;"
        " return [style.overflowX, style.scrollbarWidth, style.backgroundAttachment, end]; })"
    )
    assert shown or width > PHONE
    assert all(each == ["auto", "thin", "local, local, scroll, scroll, scroll", True] for each in shown), shown
