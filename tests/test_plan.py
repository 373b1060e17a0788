"""The plan of a run, which every worker reads from a file."""

from pathlib import Path

from harness.builds import Build
from harness.claims import Claim
from harness.environment import Environment, this_platform
from harness.plan import Job, Plan, make_plan, read_plan, write_plan
from harness.vocabulary import Kind

OPEN = Claim("node", "fs.openSync/wx", Kind.CREATE, "fs.openSync(name, 'wx')", "file")
RENAME = Claim("node", "fs.renameSync/file", Kind.CREATE, "fs.renameSync(source, name)", "file", "file", "overwrites")
UNLINK = Claim("node", "fs.unlinkSync", Kind.TAKE, "fs.unlinkSync(name)", "gone", "file")
READ = Claim("node", "fs.readFileSync", Kind.LOOK, "fs.readFileSync(name)", "nothing")
NODE = Build(
    "node",
    "20.11.1",
    this_platform(),
    "path",
    Path("/usr/bin/node"),
    (OPEN, RENAME, UNLINK, READ),
    frozenset({"fs.openSync/wx"}),
)
BUN = Build("bun", "1.3.14", this_platform(), "npm", Path("/cache/日本 bun"), (), frozenset())
HERE = Environment(this_platform(), "ext4", "Debian GNU/Linux 12", True)


def test_a_plan_comes_back_from_its_file(tmp_path):
    plan = Plan(
        (Job(NODE, HERE, tmp_path / "with 'quote'", (OPEN, RENAME)), Job(BUN, HERE, tmp_path, ())), isolate=True
    )
    write_plan(plan, tmp_path / "plan.claimgrid.json")
    assert read_plan(tmp_path / "plan.claimgrid.json") == plan


def test_without_a_choice_everything_is_measured_but_what_only_looks(tmp_path):
    plan = make_plan([(NODE, HERE, tmp_path)], [], isolate=False)
    assert plan == Plan((Job(NODE, HERE, tmp_path, (OPEN, RENAME, UNLINK)),))


def test_chosen_claims_alone_are_measured(tmp_path):
    plan = make_plan([(NODE, HERE, tmp_path)], [RENAME], isolate=True)
    assert plan == Plan((Job(NODE, HERE, tmp_path, (RENAME,)),), isolate=True)


def test_a_build_without_a_chosen_claim_has_no_job(tmp_path):
    assert make_plan([(BUN, HERE, tmp_path)], [RENAME], isolate=False) == Plan(())


def test_a_job_is_called_by_its_build_and_filesystem(tmp_path):
    assert Job(NODE, HERE, tmp_path, ()).id == "node@20.11.1 ext4"
