"""Checks what no schema covers: every variable is a setting of the server, and every pod is locked down.

    check.py CONFIGURATION.md DOCKERFILE COMPOSE_FOLDER RENDERED_FOLDER
"""

import re
import sys
from pathlib import Path

import yaml

POD_KINDS = {"Deployment", "StatefulSet", "Pod"}


def settings(path: Path) -> set[str]:
    """Returns the variables that the configuration reference lists."""
    rows = re.findall(r"^\| `--[a-z0-9-]+` \| `([A-Z0-9_]+)` \|", path.read_text(), re.MULTILINE)
    if len(rows) < 30:
        sys.exit(f"{path}: only {len(rows)} settings were found")
    return set(rows)


def variables_of_image(path: Path) -> set[str]:
    block = re.search(r"^ENV ((?:.*\\\n)*.*)$", path.read_text(), re.MULTILINE)
    return set(re.findall(r"([A-Z_]+)=", block.group(1))) if block else set()


def variables_of_compose(path: Path) -> set[str]:
    return set(yaml.safe_load(path.read_text())["services"]["cantata"]["environment"])


def pods(path: Path):
    """Yields the pods of rendered manifests, each with its file and kind."""
    for manifest in filter(None, yaml.safe_load_all(path.read_text())):
        if manifest["kind"] in POD_KINDS:
            spec = manifest["spec"]
            yield f"{path.name}: {manifest['kind']}", spec.get("template", {}).get("spec", spec)


def problems_of_pod(name: str, pod: dict):
    if pod.get("automountServiceAccountToken") is not False:
        yield f"{name}: mounts a service account token"
    if pod["securityContext"].get("seccompProfile") != {"type": "RuntimeDefault"}:
        yield f"{name}: has no seccomp profile"
    mounted = {volume["name"] for volume in pod.get("volumes", [])} | {"data"}
    for container in pod.get("initContainers", []) + pod["containers"]:
        place = f"{name}, {container['name']}"
        security = container["securityContext"]
        if not (security["runAsNonRoot"] and security["readOnlyRootFilesystem"]):
            yield f"{place}: may run as root, or write to its image"
        if security["allowPrivilegeEscalation"] or security["capabilities"] != {"drop": ["ALL"]}:
            yield f"{place}: has capabilities, or may gain privileges"
        if "memory" not in container["resources"]["limits"]:
            yield f"{place}: has no memory limit"
        for mount in container.get("volumeMounts", []):
            if mount["name"] not in mounted:
                yield f"{place}: mounts {mount['name']}, which is not defined"


def main(configuration: str, dockerfile: str, compose: str, rendered: str) -> None:
    known = settings(Path(configuration))
    named = [(dockerfile, variables_of_image(Path(dockerfile)))]
    named += [(str(path), variables_of_compose(path)) for path in sorted(Path(compose).glob("*.yml"))]
    problems = []
    for path in sorted(Path(rendered).glob("*.yaml")):
        for name, pod in pods(path):
            problems += problems_of_pod(name, pod)
            for container in pod["containers"]:
                named.append((name, {variable["name"] for variable in container.get("env", [])}))
    problems += [f"{place}: {name} is not a setting" for place, names in named for name in sorted(names - known)]
    if problems:
        sys.exit("\n".join(problems))


main(*sys.argv[1:])
