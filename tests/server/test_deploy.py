"""What is shipped for running it agrees with what the server reads and serves."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from recipediff.server.metrics import Metrics
from tests.shared import ROOT

NAMES = re.compile(r"\b(?:RECIPEDIFF_[A-Z_]*[A-Z]|DATABASE_URL|GITHUB_API_URL|PORT)\b")
SHIPPED = sorted([*ROOT.glob("deploy/*"), ROOT / "action.yml", *ROOT.glob(".github/workflows/*.yml")])


def read() -> set[str]:
    """Every name that the settings are read from."""
    text = (ROOT / "bot/recipediff/wiring/settings.py").read_text()
    found = set(NAMES.findall(re.sub(r'"""[\s\S]*?"""|Misconfigured\([^)]*\)', "", text)))
    files = {f"{name}_FILE" for name in re.findall(r'_secret\(environ, "(\w+)"\)', text)}
    return {name for name in found | files if not name.endswith("_FILE") or name in files}


def load(path: Path) -> list[Any]:
    return [each for each in YAML(typ="safe").load_all(path.read_text()) if each is not None]


def test_every_setting_is_documented_and_every_documented_one_is_read() -> None:
    documented = set(NAMES.findall((ROOT / "docs/hosting.md").read_text()))
    assert documented == read()


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_what_is_shipped_names_only_settings_that_are_read(path: Path) -> None:
    assert set(NAMES.findall(path.read_text())) <= read()
    if path.suffix == ".yml":
        assert load(path)


def test_the_pages_that_are_probed_are_served() -> None:
    served = (ROOT / "bot/recipediff/server/serve.py").read_text()
    for path in SHIPPED:
        for page in re.findall(r"/(?:healthz|readyz|metrics)\b", path.read_text()):
            assert f'"{page}"' in served


def test_operations_names_every_kind_of_job_and_figures_that_exist() -> None:
    text = (ROOT / "docs/operations.md").read_text()
    figures = Metrics().page(None).decode()
    for name in re.findall(r"`(recipediff_\w+)", text):
        assert name.removesuffix("_total") in figures
    kinds = re.findall(
        r'^            "(\w+)": ', (ROOT / "bot/recipediff/server/jobs/handler.py").read_text(), re.MULTILINE
    )
    assert len(kinds) >= 9
    assert [kind for kind in kinds if f"`{kind}:" not in text] == []


def test_a_pull_request_does_not_choose_the_code_that_judges_it() -> None:
    (workflow,) = load(ROOT / ".github/workflows/recipediff.yml")
    checkout = workflow["jobs"]["review"]["steps"][0]
    assert "base.sha" in checkout["with"]["ref"]
    assert checkout["with"]["persist-credentials"] is False


def test_workflows_have_no_more_rights_than_they_need() -> None:
    for path in ROOT.glob(".github/workflows/*.yml"):
        (workflow,) = load(path)
        writes = {name for name, level in workflow["permissions"].items() if level == "write"}
        assert writes <= {"checks", "pull-requests"}, path.name
        for line in path.read_text().splitlines():
            if "run:" in line:
                assert "${{ github.event" not in line, f"{path.name}: what others wrote must not become code: {line}"


def test_the_container_has_no_rights() -> None:
    (compose,) = load(ROOT / "deploy/compose.yml")
    bot = compose["services"]["bot"]
    assert (bot["read_only"], bot["cap_drop"]) == (True, ["ALL"])
    deployment = load(ROOT / "deploy/kubernetes.yml")[0]
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert "USER 10001" in (ROOT / "deploy/Containerfile").read_text()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    text = (ROOT / "deploy/recipediff.service").read_text().replace("/opt/recipediff/bin/recipediff", "/bin/true")
    unit = tmp_path / "recipediff.service"
    unit.write_text(text)
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
    said = [line for line in done.stderr.splitlines() if "recipediff.service" in line]
    assert said == []
