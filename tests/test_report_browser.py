"""The page in a real browser: an answer in three clicks, views that can be sent to a colleague, both languages, and no barrier."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from dataclasses import replace
from types import MappingProxyType

import pytest
from made import HERE, build, claim

from harness.encounters import Encounter, Meeting
from harness.environment import Environment
from harness.judge import Case, Judgement, Raced, Reason
from harness.judging import stories
from harness.judging.records import Record, Records
from harness.promises import Act, Finding, Judged, Promise, Standing, Step, Trial
from harness.report.page import PAGES, render_page
from harness.sentences import catalogue
from harness.vocabulary import Detail, Kind, Occupant, Outcome, RaceOutcome, Verdict

WINE = Environment("wine-x64", "ext4", "Debian GNU/Linux 12", False)
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
EXPLORED = Raced(RaceOutcome.ONE_WINNER, explored=RaceOutcome.ONE_WINNER, unexplored="")
HOSTILE = "node:fs.x/</script><img src=x onerror='window.pwned=1'>\u202e"


def needed(there, what):
    """Without it these tests are skipped at home; on a CI machine with Linux it has to be there."""
    if there:
        return
    if os.environ.get("CI") and sys.platform == "linux":
        pytest.fail(f"{what} is needed here", pytrace=False)
    pytest.skip(f"{what} is not here")


def made(verdict, code, kind=Kind.CREATE, raced=Raced(), mechanism=None, reason=None):  # noqa: B008
    cases = {
        Occupant.FREE: Case(Outcome.WON),
        Occupant.OWN: Case(Outcome.OVERWROTE, Detail.APPENDED)
        if verdict is Verdict.UNSAFE
        else Case(Outcome.REFUSED, error="EEXIST"),
        Occupant.FILE: Case(Outcome.REFUSED, error="EISDIR", recognised=False),
        Occupant.DEVICE_NAME: Case(Outcome.UNAVAILABLE, reason="only Windows has device names"),
    }
    why = reason or Reason("took-taken", (Occupant.OWN,), Outcome.OVERWROTE, Detail.APPENDED)
    return replace(
        claim(verdict),
        code=code,
        kind=kind,
        raced=raced,
        mechanism=mechanism,
        cases=MappingProxyType(cases),
        judgement=Judgement(verdict, why),
    )


WX = "fs.writeFileSync(name, data, {flag: 'wx'})"
SAFE = made(Verdict.SAFE, WX, raced=EXPLORED, mechanism="openat(O_CREAT|O_EXCL)", reason=Reason("one-winner"))
TWO = Raced(RaceOutcome.TWO_WINNERS, explored=RaceOutcome.TWO_WINNERS, unexplored="", pause="after access, before open")
CLAIMS = {
    "node:fs.writeFileSync/wx": SAFE,
    "node:fs.mkdirSync": replace(SAFE, code="fs.mkdirSync(name)", mechanism="mkdir"),
    "node:fs.appendFileSync/ax": made(Verdict.UNSAFE, "fs.appendFileSync(name, data, {flag: 'ax'})"),
    "node:fs.openSync/w": made(Verdict.UNSAFE, "fs.openSync(name, 'w')"),
    "node:fs.openSync/a": made(Verdict.UNSAFE, "fs.openSync(name, 'a')"),
    "node:fs.existsSync/writeFileSync": made(
        Verdict.RACY,
        "if (!fs.existsSync(name)) fs.writeFileSync(name, data)",
        raced=TWO,
        mechanism="check-then-act",
        reason=Reason("two-winners", text="after access, before open"),
    ),
    "node:flock": replace(SAFE, kind=Kind.HELD, code="flock(name)", mechanism="flock(LOCK_EX)"),
    "node:fs.renameSync": replace(SAFE, kind=Kind.TAKE, code="fs.renameSync(name, mine)", mechanism="rename"),
    HOSTILE: made(Verdict.CONDITIONAL, HOSTILE, reason=Reason("took-other", (Occupant.FIFO,), Outcome.FALSE_WIN)),
}


def results():
    def one(version, claims, runtime="node", environment=HERE):
        return replace(build(version, {}, runtime, environment), claims=MappingProxyType(claims))

    older = {**CLAIMS, "node:fs.writeFileSync/wx": CLAIMS["node:fs.appendFileSync/ax"]}
    del older["node:fs.mkdirSync"]
    return [
        one("20.1.0", older),
        one("22.1.0", CLAIMS),
        one("24.1.0", CLAIMS),
        one("22.1.0", {**CLAIMS, "node:fs.mkdirSync": made(Verdict.UNSAFE, "fs.mkdirSync(name)")}, environment=WINE),
        one("7.6.9", {"powershell:New-Item/File": made(Verdict.REFUSES, "New-Item $name", reason=Reason("not-raced"))}, "powershell"),
        one("7.6.10", {"powershell:New-Item/File": replace(SAFE, code="New-Item -ItemType File $name")}, "powershell"),
    ]  # fmt: skip


def meetings():
    def pair(first, over_first, verdict):
        race = Raced(RaceOutcome.ONE_WINNER, unexplored="")
        return Encounter(
            first, "powershell:New-Item/File", over_first, Case(Outcome.REFUSED, error="EEXIST"), race, verdict
        )

    pairs = (
        pair("node:fs.writeFileSync/wx", Case(Outcome.REFUSED, error="ResourceExists"), Verdict.SAFE),
        pair("node:fs.appendFileSync/ax", Case(Outcome.OVERWROTE, Detail.REPLACED), Verdict.UNSAFE),
    )
    return [Meeting(HERE, ("node", "22.1.0"), ("powershell", "7.6.10"), pairs)]


def records():
    steps = (
        Step("A", Act.HOLDS, ("openat({name}, O_CREAT|O_EXCL)", "write({name})")),
        Step("A", Act.KILLED),
        Step("", Act.DAMAGED, detail="half"),
        Step("B", Act.HELD_BACK, ("read({name})",), "unlink({name})"),
        Step("C", Act.HOLDS, ("read({name})", "read({name})"), ""),
        Step("B", Act.HOLDS),
    )
    broken = Trial("rivals:3", steps, (Finding(Promise.RECOVERY, "two-recover"),))
    judged = (
        Judged(Promise.EXCLUSION, Standing.KEPT, 12),
        Judged(Promise.PROGRESS, Standing.NOT_EXPLORED, 2, None, ("both-wait",)),
        Judged(Promise.RECOVERY, Standing.BROKEN, 7, broken),
    )
    lock = Record("lock", f"// {HOSTILE}", "cafe", {"en": "A lock file", "ja": "ロックファイル"}, judged)
    library = replace(
        lock,
        title={"en": "A library", "ja": "ライブラリ"},
        library="some-lock 1.2",
        advice={"en": "Use another.", "ja": "ほかを使う。"},
    )
    missing = replace(lock, judged=(), obstacle="It is not here.")
    of_node = {"node:recipe/pid-file": lock, "node:library/some-lock": library, "node:library/other": missing}
    return [Records(HERE, "node", "22.1.0", of_node)]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render_page(results(), meetings(), records()), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    needed(CHROMIUM and DRIVER, "a Chromium with its driver (Debian: chromium chromium-driver)")
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        needed(False, "selenium (Debian: python3-selenium)")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (
        "--headless=new",
        # Chromium's own sandbox does not work in containers, nor for root.
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service(DRIVER), options=options)
    yield driver
    driver.quit()


@pytest.fixture
def browser(chromium, page):
    """A browser of an English reader on a wide screen, with the page not opened yet; at the end nothing may stand in its console."""
    chromium.get("about:blank")
    size(chromium, 1600)
    colours(chromium, "light")
    reads(chromium, "en-US,en")
    chromium.get(page)
    chromium.execute_script("localStorage.clear()")
    chromium.get_log("browser")
    yield chromium
    assert [entry["message"] for entry in chromium.get_log("browser")] == []


def size(browser, width):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    )


def colours(browser, scheme):
    # Without motion nothing moves away from under a click.
    features = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
    wanted = [{"name": name, "value": value} for name, value in features.items()]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wanted})


def reads(browser, languages):
    agent = browser.execute_script("return navigator.userAgent")
    browser.execute_cdp_cmd("Network.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": languages})


def opened(browser, page, fragment=""):
    """The page, loaded anew at this address."""
    browser.get("about:blank")
    browser.get(page + fragment)
    return browser


def all_of(browser, css):
    return browser.find_elements("css selector", css)


def one_of(browser, css):
    return browser.find_element("css selector", css)


def choose(browser, field, value):
    one_of(browser, f"#{field} option[value='{value}']").click()


def in_matrix(browser):
    return [
        [cell.text for cell in row.find_elements("css selector", "th, td")] for row in all_of(browser, "#matrix tr")
    ]


def until(browser, condition):
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, 10).until(condition)


# ---- What a reader does


def test_the_answer_is_there_in_three_clicks(browser, page):
    opened(browser, page)
    choose(browser, "runtime", "powershell")
    until(browser, lambda each: "New-Item -ItemType File $name" in one_of(each, ".may").text)
    assert "* safe" in one_of(browser, ".may .card").text
    choose(browser, "version", "7.6.9")
    until(browser, lambda each: "Not proven safe" in one_of(each, ".may h2").text)
    one_of(browser, ".may .copy").click()
    until(browser, lambda each: one_of(each, ".may .copy").text == "Copied")


def test_the_answer_shows_safe_ways_traps_and_how_sure_it_is(browser, page):
    opened(browser, page)
    assert [each.text for each in all_of(browser, ".columns h2")] == ["Safe to use", "Do not use as a lock"]
    assert "fs.mkdirSync(name)" in one_of(browser, ".may").text
    assert "{flag: 'ax'}" in one_of(browser, ".not").text
    assert "every moment between their steps" in one_of(browser, ".sure").text


def test_what_was_not_measured_is_said_to_be_so_and_what_was_is_offered(browser, page):
    opened(browser, page, "#answer?runtime=node&version=20.1.0&platform=wine-x64&filesystem=ext4")
    assert "Not measured: node 20.1.0" in one_of(browser, "#answer").text
    one_of(browser, "#answer a").click()
    until(browser, lambda each: all_of(each, ".columns"))
    assert "not Windows" in one_of(browser, "#answer .notice").text


def test_a_filtered_view_is_in_the_address_and_comes_back(browser, page):
    opened(browser, page)
    before = in_matrix(browser)
    one_of(browser, "[data-toggle='verdict.racy']").click()
    one_of(browser, "[data-key=q]").send_keys("exists")
    until(browser, lambda each: "q=exists" in each.current_url and "verdict=racy" in each.current_url)
    view = in_matrix(browser)
    assert view != before
    assert [row[0] for row in view[3:]] == ["fs.existsSync/writeFileSync"]
    assert one_of(browser, "[data-key=q]").get_attribute("value") == "exists"
    opened(browser, browser.current_url)
    assert in_matrix(browser) == view
    assert one_of(browser, "#count").text == "Calls: 1, in 1 rows"


@pytest.mark.parametrize(
    ("only", "calls"),
    [
        ("changes", ["fs.writeFileSync/wx"]),
        ("differs", ["fs.mkdirSync"]),
        ("racy", ["fs.existsSync/writeFileSync"]),
    ],
)
def test_only_what_a_reader_wants_to_see(browser, page, only, calls):
    opened(browser, page, f"#answer?only={only}")
    assert [each.text for each in all_of(browser, "#matrix th[scope=row]")] == calls


def test_equal_neighbours_are_folded_and_can_be_unfolded(browser, page):
    opened(browser, page)
    heads = [each.text for each in all_of(browser, "#matrix thead tr:nth-child(2) th")]
    assert heads == ["20.1.0", "22.1.0 – 24.1.0\n2 versions, equal", "22.1.0"]
    one_of(browser, "#matrix thead .unfold").click()
    until(browser, lambda each: len(all_of(each, "#matrix thead tr:nth-child(2) th")) == 4)
    before = [each.text for each in all_of(browser, "#matrix th[scope=row]")]
    label = next(each for each in all_of(browser, "#matrix th[scope=row]") if each.text.startswith("fs.openSync"))
    label.find_element("css selector", "button").click()
    labels = [each.text for each in all_of(browser, "#matrix th[scope=row]")]
    assert {"fs.openSync/a Fold again", "fs.openSync/w"} <= set(labels)
    next(each for each in all_of(browser, "#matrix .unfold") if each.text == "Fold again").click()
    assert [each.text for each in all_of(browser, "#matrix th[scope=row]")] == before


def test_gaps_are_gaps_and_wine_is_wine(browser, page):
    opened(browser, page)
    row = next(row for row in in_matrix(browser) if row[0] == "fs.mkdirSync")
    assert row[1:] == [". not measured", "* safe", "X unsafe"]
    assert "wine-x64 (Wine, not Windows) · ext4" in [each.text for each in all_of(browser, "#matrix thead th")]


def test_a_cell_opens_from_a_link_with_everything_behind_it(browser, page):
    where = "&in=linux-x64-ext4/node-22.1.0"
    opened(browser, page, f"#answer?cell=node:fs.existsSync/writeFileSync{where}")
    text = one_of(browser, "dialog[open]").text
    for part in (
        "node:fs.existsSync/writeFileSync",
        "! racy",
        "if (!fs.existsSync(name)) fs.writeFileSync(name, data)",
        "no (EISDIR, which a test for “it exists” does not recognise)",
        "Several came at the same time, and two won.",
        "after access, before open",
        "It looks first and acts afterwards",
        "claimgrid try node:fs.existsSync/writeFileSync --runtime node@22.1.0",
        "claimgrid explore node:fs.existsSync/writeFileSync --runtime node@22.1.0",
    ):
        assert part in text


def test_a_cell_is_opened_closed_and_gives_the_focus_back(browser, page):
    opened(browser, page)
    cell = one_of(browser, "#matrix td button")
    cell.click()
    until(browser, lambda each: all_of(each, "dialog[open]"))
    assert "cell=" in browser.current_url
    one_of(browser, "dialog .close").click()
    until(browser, lambda each: "cell=" not in each.current_url)
    assert browser.switch_to.active_element == cell


def test_the_versions_where_a_verdict_changes_are_listed_and_nothing_in_between(browser, page):
    opened(browser, page, "#answer?cell=node:fs.writeFileSync/wx&in=linux-x64-ext4/node-22.1.0")
    runs = [each.text for each in all_of(browser, "dialog .runs li")]
    assert runs[0] == "linux-x64 · ext4: 20.1.0 X unsafe (in between: not measured) 22.1.0 – 24.1.0 * safe"


def test_a_link_to_a_cell_that_is_not_there_says_so(browser, page):
    opened(browser, page, "#answer?cell=node:gone&in=linux-x64-ext4/node-1")
    assert "was not measured" in one_of(browser, "dialog[open]").text


def test_arrow_keys_move_between_cells(browser, page):
    from selenium.webdriver.common.keys import Keys

    opened(browser, page)
    cells = all_of(browser, "#matrix tbody tr:nth-child(2) td button")
    browser.execute_script("arguments[0].focus()", cells[0])
    cells[0].send_keys(Keys.ARROW_RIGHT)
    assert browser.switch_to.active_element == cells[1]
    cells[1].send_keys(Keys.ARROW_DOWN)
    assert browser.switch_to.active_element in all_of(browser, "#matrix tbody tr:nth-child(3) td button")


def test_two_runtimes_get_what_to_paste_and_what_was_tried(browser, page):
    opened(browser, page, "#across?runtime=node")
    pasted = [each.text for each in all_of(browser, "#page-across .paste pre code")]
    assert pasted == ["fs.writeFileSync(name, data, {flag: 'wx'})", "New-Item -ItemType File $name"]
    next(each for each in all_of(browser, "#page-across td button") if each.text == "X unsafe").click()
    card = until(browser, lambda each: one_of(each, "#page-across .card"))
    assert "powershell:New-Item/File over what node:fs.appendFileSync/ax left" in card.text
    assert "what was there was replaced" in card.text


def test_history_tells_steps_between_measured_versions(browser, page):
    opened(browser, page, "#history?runtime=node")
    assert "20.1.0 → 22.1.0 (in between: not measured)" in one_of(browser, ".steps h3").text


def test_what_is_downloaded_is_every_verdict(browser, page):
    opened(browser, page, "#data")
    browser.execute_script(
        "URL.createObjectURL = blob => { window.made = blob; return '#'; };"
        "HTMLAnchorElement.prototype.click = () => {};"
    )
    one_of(browser, "#page-data .action").click()
    found = json.loads(browser.execute_async_script("window.made.text().then(arguments[0])"))
    assert len(found["results"]) == sum(len(one.claims) for one in results())
    assert found["results"][0]["cases"]["free"] == {"outcome": "won"}
    assert [each["verdict"] for each in found["pairs"]] == ["safe", "unsafe"]


def test_a_broken_promise_of_a_recipe_opens_its_schedule_in_lanes(browser, page):
    opened(browser, page, "#recipes")
    heads = [each.text for each in all_of(browser, "#page-recipes .recipes thead th")]
    assert heads == ["Recipe", "exclusion", "progress", "recovery"]
    broken = next(each for each in all_of(browser, "#page-recipes td button") if each.text == "X broken")
    broken.click()
    until(browser, lambda each: all_of(each, "dialog[open] .lanes"))
    assert "promise=recovery" in browser.current_url
    rows = [[cell.text for cell in row.find_elements("css selector", "th, td")] for row in all_of(browser, ".lanes tr")]
    assert rows[0] == ["#", "A", "B", "C", "from outside"]
    assert rows[2] == ["2", "is killed while it holds", "", "", ""]
    assert rows[5][3] == "2 × read({name})\nholds the lock"
    text = one_of(browser, "dialog[open]").text
    assert "two take over and both hold it" in text
    assert "--schedule rivals:3 --runtime node@22.1.0" in text
    one_of(browser, "dialog .close").click()
    until(browser, lambda each: "recipe=" not in each.current_url)
    assert browser.switch_to.active_element == broken


def test_a_recipe_opens_from_a_link_with_all_its_promises_and_its_code(browser, page):
    opened(browser, page, "#recipes?recipe=node:library/some-lock&in=linux-x64-ext4/node-22.1.0&lang=ja")
    text = one_of(browser, "dialog[open]").text
    for part in (
        "some-lock 1.2",
        "試したスケジュール: 12。",
        "ほかを使う。",
        *(stories.promise_word(each, "ja") for each in list(Promise)[:3]),
    ):
        assert part in text
    assert browser.execute_script("return window.pwned") is None
    opened(browser, page, "#recipes?recipe=node:gone&in=linux-x64-ext4/node-22.1.0")
    assert "was not measured" in one_of(browser, "dialog[open]").text
    opened(browser, page, "#recipes")
    assert "node:library/other: It is not here." in one_of(browser, "#page-recipes").text


# ---- Languages


def test_the_reader_s_browser_chooses_the_language(browser, page):
    reads(browser, "ja,en")
    opened(browser, page)
    assert one_of(browser, "html").get_attribute("lang") == "ja"
    assert one_of(browser, "h1").text == catalogue("ja")["ui.title"]


def test_the_language_can_be_switched_and_stays(browser, page):
    opened(browser, page)
    one_of(browser, "[data-lang=ja]").click()
    until(browser, lambda each: one_of(each, "html").get_attribute("lang") == "ja")
    opened(browser, page)
    assert one_of(browser, "h1").text == catalogue("ja")["ui.title"]


@pytest.mark.parametrize("name", PAGES)
def test_no_english_sentence_is_left_in_japanese(browser, page, name):
    opened(browser, page, f"#{name}?lang=ja&cell=node:fs.writeFileSync/wx&in=linux-x64-ext4/node-22.1.0")
    # Code and data are the same in every language.
    browser.execute_script("document.querySelectorAll('pre').forEach(each => each.remove())")
    text = one_of(browser, "body").text
    english = [each for each in catalogue("en").values() if re.fullmatch(r"[^{]*[a-z] [a-z][^{]*", each)]
    assert len(english) > 100
    assert [each for each in english if each in text] == []


# ---- Barriers and harm


@pytest.fixture(scope="module")
def axe(tmp_path_factory):
    """axe-core, which finds barriers; its registry's client fetches it for the time of the tests."""
    npm = shutil.which("npm")
    needed(npm, "npm")
    folder = tmp_path_factory.mktemp("axe")
    done = subprocess.run(
        [npm, "pack", "--silent", "axe-core@4"], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    needed(done.returncode == 0, "axe-core from npm")
    with tarfile.open(next(folder.glob("axe-core-*.tgz"))) as archive:
        return archive.extractfile("package/axe.min.js").read().decode()


@pytest.mark.parametrize(("lang", "scheme"), [("en", "light"), ("ja", "dark")])
@pytest.mark.parametrize(
    "name",
    [
        *PAGES,
        "answer&cell=node:fs.writeFileSync/wx&in=linux-x64-ext4/node-22.1.0",
        "recipes&recipe=node:recipe/pid-file&in=linux-x64-ext4/node-22.1.0",
    ],
)
def test_axe_finds_no_barrier(browser, page, axe, name, lang, scheme):
    colours(browser, scheme)
    path, _, more = name.partition("&")
    opened(browser, page, f"#{path}?lang={lang}&{more}")
    browser.execute_script(axe)
    found = browser.execute_async_script("const done = arguments[0]; axe.run().then(found => done(found.violations))")
    assert json.dumps([(each["id"], [node["html"] for node in each["nodes"]]) for each in found]) == "[]"


@pytest.mark.parametrize("width", [360, 800, 1600])
@pytest.mark.parametrize("name", PAGES)
def test_no_page_is_wider_than_the_screen(browser, page, name, width):
    size(browser, width)
    opened(browser, page, f"#{name}")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


def test_hostile_text_is_shown_as_text(browser, page):
    opened(browser, page, "#answer?unfold=variants")
    assert browser.execute_script("return window.pwned") is None
    assert any("onerror" in each.text and "\\u202e" in each.text for each in all_of(browser, "#matrix th"))


def test_without_scripts_the_plain_matrix_is_there(browser, page):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        opened(browser, page)
        assert "X unsafe" in one_of(browser, "noscript table, main table").text
        assert not one_of(browser, "#where").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
