"""For all tests: what they used of GitHub's API is printed at the end."""

pytest_plugins = ("tests.contract.reporting",)
