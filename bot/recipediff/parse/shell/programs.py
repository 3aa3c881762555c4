"""Names of programs and options that the reader of command text has to know. Facts, no logic."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SHELLS = frozenset({"bash", "sh", "dash", "zsh", "ash", "ksh"})

TRANSPARENT = frozenset({"exec", "command", "builtin"})
"""Builtins that start what follows in their own place."""

DECLARE = frozenset({"export", "declare", "typeset", "readonly", "local"})

UNFOLLOWED = frozenset({"eval", "source", ".", "alias"})
"""Builtins that may change anything in the shell that reads on."""

SETTERS = frozenset({"read", "mapfile", "readarray", "getopts", "let"})
"""Builtins that set the variables that they name to something that is not followed here."""

QUIET = frozenset(
    {
        "set",
        "shift",
        "cd",
        "shopt",
        "ulimit",
        "umask",
        ":",
        "true",
        "wait",
        "exit",
        "pushd",
        "popd",
        "exec",
        "trap",
        "hash",
    }
)
"""Commands before the server that change nothing a launch is compared by."""

# Programs that only mention a server: what follows them is text, a pattern or a file.
MENTION = _words(
    """
    echo printf cat tee grep egrep pgrep pkill killall kill ps which type whereis man git pip pip3 apt apt-get alias
    test [ [[ read sed awk rm cp mv ls mkdir touch curl wget trap : true false wait sleep cd
    """
)

OTHER_ENGINES = frozenset({"sglang", "ollama", "ray", "tgi", "trtllm", "tensorrt_llm", "lmdeploy", "mlx_lm", "bentoml"})

# Launch flags that take exactly one word, and whose value a cluster's launcher commonly fills in.
ONE_WORD = _words(
    """
    --master-addr --master-port --node-rank --nnodes --host --port --data-parallel-address --data-parallel-rpc-port
    --data-parallel-start-rank --data-parallel-rank --data-parallel-size --data-parallel-size-local
    """
)

# Search paths are extended by nearly every launch script, and say where programs are, not how the server runs.
SEARCH_PATHS = frozenset(
    {"PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "PYTHONPATH", "CPATH", "MANPATH", "PKG_CONFIG_PATH"}
)

CONTAINERS = frozenset({"docker", "podman", "nerdctl"})

# Options of `docker run` and `exec` that stand alone. Every other one takes a value: its own word, or after `=`.
CONTAINER_SWITCHES = _words(
    """
    --detach --interactive --tty --rm --init --privileged --publish-all --read-only --no-healthcheck
    --oom-kill-disable --sig-proxy --disable-content-trust --quiet --replace
    """
)

CONTROL = _words("if then elif else fi for while until do done case esac select function coproc")
"""Words that open or part a shell's control structures."""
