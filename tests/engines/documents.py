"""Files of several Kubernetes documents, and what holds for every kind of object."""

import re
from pathlib import Path

import yaml
from reports import Refused

NAME = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
LABEL = r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?"


class Loader(yaml.SafeLoader):
    """A loader that refuses a key given twice, as the API server does."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise Refused(f'key "{key}" already set in map (line {node.start_mark.line + 1})')
        return super().construct_mapping(node, deep)


def load(path: Path) -> list:
    documents = [d for d in yaml.load_all(path.read_text(), Loader=Loader) if d is not None]
    if not documents:
        raise Refused("no document")
    for document in documents:
        if not isinstance(document, dict) or not {"apiVersion", "kind"} <= document.keys():
            raise Refused("a document lacks apiVersion or kind")
    return documents


def check_metadata(document: dict) -> None:
    metadata = document.get("metadata") or {}
    name = metadata.get("name", "")
    if not re.fullmatch(NAME, name) or len(name) > 63:
        raise Refused(f"{document['kind']}: metadata.name: invalid value {name!r}")
    for key, value in (metadata.get("labels") or {}).items():
        if not isinstance(value, str) or not re.fullmatch(LABEL, value):
            raise Refused(f"{document['kind']}: metadata.labels.{key}: invalid value {value!r}")
