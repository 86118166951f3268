"""The page as a person sees it, in a real browser: it loads nothing, moves, obeys the keyboard, and fits phone and paper."""

import json
import re
import time

import pytest

import hyperhedge as hh
from hostile import HOSTILE
from hyperhedge.report import compare
from laws import rewired, teams


def count(browser, selector):
    return browser.run(f"document.querySelectorAll({json.dumps(selector)}).length")


def text(browser, selector):
    return browser.run(f"document.querySelector({json.dumps(selector)}).textContent")


def frame_shown(browser):
    """Return what the player shows, as data."""
    return browser.run("['player-matrix', 'player-picture'].map((id) => document.getElementById(id).toDataURL())")


def frame_after(browser, key, frame):
    """Press a key, wait until the player says that it shows a frame, and return what it shows."""
    browser.press(key)
    end = time.monotonic() + 10
    while f"frame {frame} of 22" not in text(browser, ".readout"):
        assert time.monotonic() < end, text(browser, ".readout")
        time.sleep(0.05)
    return frame_shown(browser)


def test_it_loads_without_a_word_and_without_a_request(browser, page, report):
    browser.open(page)
    assert browser.complaints() == []
    assert text(browser, "#verdict") == report.verdict.sentence
    for finding in report.verdict.findings:
        shown = text(browser, f"#finding-{finding.name}")
        assert finding.answer in shown
        assert finding.text in shown
        assert count(browser, f"#finding-{finding.name}.{finding.grade or 'none'}") == 1
    assert count(browser, "#plots .chart") == 7  # the last one is that of the function
    assert count(browser, "table.metrics tr.row") == len(report.details)
    assert count(browser, ".card") == 4
    assert text(browser, "h1") == report.name


def test_requests_and_errors_are_noticed(browser, tmp_path):
    """See that the test above can fail."""
    (tmp_path / "bad.html").write_text("<!DOCTYPE html><img src=nothing.png><script>console.error('oh')</script>")
    browser.open(tmp_path / "bad.html")
    assert any("nothing.png" in str(complaint) for complaint in browser.complaints())
    assert any("oh" in str(complaint) for complaint in browser.complaints())


def test_the_policy_stops_what_should_not_be_there(browser, page):
    browser.open(page)
    browser.run("document.body.append(Object.assign(new Image(), {src: 'https://example.invalid/x.png'}))")
    assert browser.run("fetch('https://example.invalid/').then(() => 'reached', () => 'refused')") == "refused"
    browser.run(
        "{ const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s); }"
    )
    assert browser.run("window.ran === undefined") is True
    assert any("Content Security Policy" in str(complaint) for complaint in browser.complaints())


def test_hostile_names_are_text(browser, page, report):
    browser.open(page)
    assert count(browser, "img") == 0
    assert count(browser, "script") == browser.run("document.scripts.length") == 8
    assert report.name in browser.run("document.title")
    assert HOSTILE[0] in text(browser, "#legend")
    # Point at a hyperedge: its label appears, as it is.
    browser.run(
        "document.querySelector('.card .matrix .cell').dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))"
    )
    shown = text(browser, ".pointed")
    assert any(name.replace("\u2028", "·").replace("\u202e", "·") in shown for name in HOSTILE)
    assert count(browser, ".card .picture .on.node") > 0
    assert browser.complaints() == []


def test_the_slider_moves_matrix_and_drawing(browser, page):
    browser.open(page)
    browser.run("document.getElementById('player-slider').focus()")
    for _ in range(2):  # what is read just after the page has loaded may differ
        frame_after(browser, "Home", 1)
        frame_after(browser, "End", 22)
    first = frame_after(browser, "Home", 1)
    last = frame_after(browser, "End", 22)
    assert all(a != b for a, b in zip(first, last, strict=True))
    assert frame_after(browser, "Home", 1) == first
    second = frame_after(browser, "ArrowRight", 2)
    assert all(a != b for a, b in zip(first, second, strict=True))
    assert frame_after(browser, "End", 22) == last
    assert "the hypergraph" in browser.run("document.getElementById('player-slider').ariaValueText")
    browser.run("document.querySelector('#animation select').value = 1")
    browser.run("document.querySelector('#animation select').dispatchEvent(new Event('change'))")
    assert all(a != b for a, b in zip(frame_shown(browser), last, strict=True))
    assert browser.complaints() == []


def test_the_player_plays_to_the_end_and_arrows_step(browser, page):
    browser.open(page)
    browser.run("document.getElementById('player-play').focus()")
    browser.press(" ", "Space")
    assert "Pause" in text(browser, "#player-play")
    browser.run(
        "new Promise((done) => { const look = setInterval(() => { if (document.getElementById('player-slider').value > 2) {"
        " clearInterval(look); done(); } }, 20); })"
    )
    browser.press(" ", "Space")
    assert "Play" in text(browser, "#player-play")
    at = int(browser.run("document.getElementById('player-slider').value"))
    browser.press("ArrowLeft")
    assert int(browser.run("document.getElementById('player-slider').value")) == at - 1


def test_plots_answer_pointer_keyboard_and_legend(browser, page):
    browser.open(page)
    browser.run("document.querySelector('#plot-degree').scrollIntoView({behavior: 'instant', block: 'center'})")
    box = browser.run("document.querySelector('#plot-degree .chart').getBoundingClientRect().toJSON()")
    browser.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tip = text(browser, "#plot-degree .tip")
    assert "real" in tip
    assert "%" in tip
    browser.run("document.querySelector('#plot-size .chart').focus()")
    browser.press("ArrowRight")
    first = text(browser, "#plot-size .tip")
    browser.press("ArrowRight")
    assert text(browser, "#plot-size .tip") != first
    assert "real" in text(browser, "#status")
    browser.press("Escape")
    assert browser.run("document.querySelector('#plot-size .tip').hidden") is True
    before = count(browser, "#plots .is-generated")
    browser.run("document.querySelectorAll('#legend button')[1].click()")
    assert (before, count(browser, "#plots .is-generated")) == (7, 0)
    curve = "document.querySelector('#plot-degree .is-baseline-0').getAttribute('d')"
    linear = browser.run(curve)
    browser.run("document.querySelector('input[value=log]').click()")
    logarithmic = browser.run(curve)
    browser.run("document.querySelector('input[value=tail]').click()")
    assert len({linear, logarithmic, browser.run(curve)}) == 3
    browser.run("document.querySelector('#plot-degree details').open = true")
    assert (
        browser.run("new Promise((d) => setTimeout(() => d(document.querySelectorAll('#plot-degree td').length), 100))")
        > 9
    )
    assert browser.complaints() == []


def test_the_plots_show_what_python_counted(browser, page, report):
    browser.open(page)
    browser.run("document.querySelector('#plot-degree .chart').focus()")
    browser.press("Home")
    for _ in range(2):
        browser.press("ArrowRight")
    (shown,) = re.findall(r"generated(\d+\.\d) %", text(browser, "#plot-degree .tip"))
    degrees = [d for H in report.collections["generated"].hypergraphs for d in H.degrees]
    assert float(shown) == pytest.approx(100 * degrees.count(2) / len(degrees), abs=0.06)


def test_the_values_of_a_function_are_plotted_from_the_least_one(browser, page, report):
    browser.open(page)
    browser.run("document.querySelector('#plot-custom-0 .chart').focus()")
    browser.press("Home")
    tip = text(browser, "#plot-custom-0 .tip")
    values = [-H.density for name in ("real", "generated") for H in report.collections[name].hypergraphs]
    values += [-H.density for name in report.baselines for H in report.collections[name].hypergraphs]
    (low,) = re.findall(r"value per hypergraph: (-[\d.]+) – -", tip)
    assert float(low) == pytest.approx(min(values), abs=1e-3)
    assert HOSTILE[2].split()[0] in text(browser, "#plot-custom-0 h3")
    assert browser.complaints() == []


def test_the_table_is_sorted_and_put_back(browser, page, report):
    browser.open(page)
    titles = "[...document.querySelectorAll('tr.row th span')].map((cell) => cell.textContent)"
    before = browser.run(titles)
    assert before == [row.title for row in report.details]
    browser.run("document.querySelector('[data-sort=ratio-0] button').click()")
    infinite = [row.title for row in report.details if row.ratio is None and row.value is not None]
    order = sorted((row for row in report.details if row.ratio is not None), key=lambda row: -row.ratio)
    assert browser.run(titles)[: len(infinite) + 3] == infinite + [row.title for row in order[:3]]
    assert browser.run("document.querySelector('[data-sort=ratio-0]').ariaSort") == "descending"
    browser.run("document.querySelector('[data-sort=order] button').click()")
    assert browser.run(titles) == before


def luminance(colour):
    channels = [int(number) / 255 for number in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(browser, selector, behind):
    front = browser.run(f"getComputedStyle(document.querySelector({json.dumps(selector)})).color")
    back = browser.run(f"getComputedStyle(document.querySelector({json.dumps(behind)})).backgroundColor")
    low, high = sorted((luminance(front), luminance(back)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_light_and_dark_are_readable(browser, page, dark):
    browser.open(page, dark=dark)
    assert (luminance(browser.run("getComputedStyle(document.body).backgroundColor")) < 0.2) is dark
    for selector, behind in ((".lead", "body"), (".why", ".finding"), ("#verdict", ".headline"), (".soft", ".card")):
        assert contrast(browser, selector, behind) >= 4.5, selector
    for grade in ("good", "fair", "poor"):
        if count(browser, f".chip.{grade}"):
            assert contrast(browser, f".chip.{grade}", f".chip.{grade}") >= 4.5, grade
    canvas = frame_shown(browser)
    browser.run("document.getElementById('theme').click()")
    assert (luminance(browser.run("getComputedStyle(document.body).backgroundColor")) < 0.2) is not dark
    assert frame_shown(browser) != canvas
    browser.run("localStorage.clear()")


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_nothing_is_wider_than_the_screen(browser, page, width):
    browser.open(page, width=width, height=800)
    assert browser.run("document.documentElement.scrollWidth") <= width
    wide = browser.run(
        "[...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1"
        " && !e.closest('.scroll, nav, pre, .columns, .tip')).map((e) => e.tagName + '.' + e.getAttribute('class'))"
    )
    assert wide == []


BOX = "const box = document.querySelector('#metrics .scroll, section > .scroll')"


@pytest.fixture(scope="session")
def wide_page(tmp_path_factory):
    """Return a page with three baselines of long names."""
    names = ["configuration model", "independent incidences", "block model"]
    baselines = {name: rewired(teams(6, seed=k), 0.5) for k, name in enumerate(names)}
    report = hh.evaluate(
        teams(6, seed=7), rewired(teams(6, seed=8), 0.3), baselines=baselines, bootstrap=10, permutations=9, seed=0
    )
    path = tmp_path_factory.mktemp("wide") / "report.html"
    report.save(path)
    return path


@pytest.mark.parametrize("width", [360, 390, 414])
def test_on_a_phone_the_table_says_that_it_scrolls(browser, wide_page, width):
    browser.open(wide_page, width=width, height=800)
    overflow, classes, hint = browser.run(
        f"{{ {BOX}; [box.scrollWidth - box.clientWidth, [...box.classList], getComputedStyle(box, '::before').content] }}"
    )
    assert overflow > 0
    assert {"wide", "more"} <= set(classes)
    assert "Scroll sideways" in hint
    assert "gradient" in browser.run(f"{{ {BOX}; getComputedStyle(box).backgroundImage }}")
    end = browser.run(
        f"(() => {{ {BOX}; box.scrollLeft = 9999; return new Promise((done) => setTimeout(() => {{"
        " const last = box.querySelector('thead th:last-child').getBoundingClientRect();"
        " const first = box.querySelector('tr.row th').getBoundingClientRect(), frame = box.getBoundingClientRect();"
        " done([box.classList.contains('more'), last.right <= frame.right + 1, first.left >= frame.left - 1]); }, 150)); })()"
    )
    assert end == [False, True, True]  # no more to come, the last column whole, the names of the rows still there
    assert browser.complaints() == []


@pytest.mark.parametrize("width", [1280, 1440])
def test_the_table_with_three_baselines_fits_a_laptop(browser, wide_page, width):
    browser.open(wide_page, width=width, height=800)
    assert browser.run(f"{{ {BOX}; box.scrollWidth - box.clientWidth }}") == 0
    assert browser.run(f"{{ {BOX}; [box.className, getComputedStyle(box, '::before').content] }}") == ["scroll", "none"]
    cut = browser.run(
        "[...document.querySelectorAll('table.metrics thead :is(th, bdi)')].filter((e) =>"
        " e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1).map((e) => e.textContent)"
    )
    assert cut == []


def test_everything_is_reached_by_the_keyboard_and_has_a_name(browser, page):
    browser.open(page)
    nameless = browser.run(
        "[...document.querySelectorAll('button, select, input, [role=img], [role=region]')].filter((e) =>"
        " !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length)).map((e) => e.outerHTML)"
    )
    assert nameless == []
    seen = set()
    for _ in range(40):
        browser.press("Tab")
        seen.add(
            browser.run(
                "document.activeElement.id || document.activeElement.className.baseVal || document.activeElement.tagName"
            )
        )
    assert {"theme", "chart", "BUTTON"} <= seen


def test_motion_is_calm_if_asked_for(browser, page):
    browser.open(page, reduced=True)
    assert browser.run("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


def test_it_prints(browser, page):
    browser.open(page, dark=True, media="print")
    assert browser.run("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert luminance(browser.run("getComputedStyle(document.querySelector('.card')).backgroundColor")) > 0.9
    paper = browser.pdf()
    assert paper.startswith(b"%PDF")
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", paper)) <= 9
    assert browser.complaints() == []


# -- several generators --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """Return the file of a page that compares three generators, two of them with hostile names."""
    made = {HOSTILE[0]: teams(11, seed=2), "HCM": rewired(teams(11, seed=3), 0.5), HOSTILE[2]: teams(11, seed=4)}
    comparison = compare(teams(9, seed=1), made, train=teams(12, seed=5), bootstrap=20, permutations=49, seed=0)
    path = tmp_path_factory.mktemp("compared") / "compare.html"
    comparison.save(path, command="hyperhedge compare")
    return path


def test_a_comparison_loads_without_a_word_and_is_sorted(browser, compared):
    browser.open(compared)
    assert browser.complaints() == []
    assert count(browser, ".compared tr.row") == 3
    assert count(browser, "#plots .chart") == 6
    assert count(browser, "#legend button") == 4
    browser.run("document.querySelector('[data-sort=ratio-1] button').click()")
    rows = "[...document.querySelectorAll('table.metrics:not(.compared) tr.row')]"
    shown = browser.run(f"{rows}.map((row) => Number(row.getAttribute('data-ratio-1')))")
    assert shown == sorted(shown, reverse=True)


def test_the_gallery_shows_the_generator_that_is_chosen(browser, compared):
    browser.open(compared)
    titles = "[...document.querySelectorAll('.card figcaption b')].map((title) => title.textContent)"
    assert browser.run(titles)[:2] == ["real 1", f"{HOSTILE[0]} 1"]
    browser.run("document.querySelector('#pager select').value = 'HCM'")
    browser.run("document.querySelector('#pager select').dispatchEvent(new Event('change'))")
    assert browser.run(titles)[:2] == ["real 1", "HCM 1"]
    assert browser.complaints() == []


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_a_comparison_is_not_wider_than_the_screen(browser, compared, width):
    browser.open(compared, width=width, height=800)
    assert browser.run("document.documentElement.scrollWidth") <= width
    wide = browser.run(
        "[...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1"
        " && !e.closest('.scroll, nav, pre, .columns, .tip')).map((e) => e.tagName + '.' + e.getAttribute('class'))"
    )
    assert wide == []
    if width <= 390:  # scores are read without scrolling
        assert browser.run("document.querySelector('.compared').scrollWidth") <= width
