"""Croissant: a release described as JSON-LD, with the fields of responsible AI.

Formats: Croissant 1.0 (http://mlcommons.org/croissant/1.0) and Croissant RAI 1.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chainwright.release.dossier import Dossier
from chainwright.release.licences import licence_metadata
from chainwright.release.metadata import title_of
from chainwright.release.parquet import ALL_CONFIGS
from chainwright.release.personal_data import PERSONAL
from chainwright.release.summary import ReleasedFile
from chainwright.release.tally import Tally
from chainwright.release.works import works_of
from chainwright.schemas.arrow import arrow_schema

_TYPES = {"string": "sc:Text", "bool": "sc:Boolean", "double": "sc:Float", "int64": "sc:Integer"}

_CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "equivalentProperty": "cr:equivalentProperty",
    "samplingRate": "cr:samplingRate",
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def croissant(
    recipe: Mapping[str, Any], tally: Tally, dossier: Dossier, files: Sequence[ReleasedFile]
) -> dict[str, Any]:
    """The content of `croissant.json`.

    Every parquet file is named with its hash and lies where the description lies; each config is a
    record set over its files. Of nested columns the parts are fields of their own.

    Args:
        recipe: The recipe as published.
        tally: Counts over the rows.
        dossier: What was gathered besides.
        files: The release's files.
    """
    release = recipe["release"]
    shards = [one for one in files if one.path.endswith(".parquet")]
    licences = {source: list(counts) for source, counts in tally.licences.items()}
    licence = licence_metadata(licences, release.get("licence"))
    configs = [c for c in ALL_CONFIGS if any(_is_of(one, c) for one in shards)]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [
            "http://mlcommons.org/croissant/1.0",
            "http://mlcommons.org/croissant/RAI/1.0",
        ],
        "name": recipe["name"],
        "description": f"{title_of(recipe)}: reasoning chains, labelled step by step, with tiers "
        "and premises.",
        "version": semantic(release.get("version")),
        **({"datePublished": release["date"]} if release.get("date") else {}),
        "license": licence.get("license_details") or licence["license"],
        "creator": [
            {"@type": "sc:Person", "name": name}
            for name in release.get("authors") or [f"The makers of {title_of(recipe)}"]
        ],
        "keywords": ["chain-of-thought", "process supervision", "reasoning", "step-level labels"],
        "citation": [work.line for work in works_of(recipe, tally.tracks)],
        "citeAs": ", ".join(
            part
            for part in (
                "; ".join(release.get("authors") or []),
                title_of(recipe),
                f"version {release['version']}" if release.get("version") else "",
            )
            if part
        ),
        "isLiveDataset": False,
        **_responsible(recipe, tally, dossier),
        "distribution": [
            *(_file_object(one) for one in shards),
            *(_file_set(config, shards) for config in configs),
        ],
        "recordSet": [_record_set(config) for config in configs],
    }


def semantic(version: str | None) -> str:
    """A version of three numbers, which the format asks for: `1` and `1.0` become `1.0.0`.

    >>> semantic("1.2"), semantic(None), semantic("spring")
    ('1.2.0', '0.0.0', '0.0.0')
    """
    parts = (version or "").removeprefix("v").split(".")
    if len(parts) > 3 or not all(part.isdecimal() for part in parts):
        return "0.0.0"
    return ".".join([*parts, "0", "0"][:3])


def _responsible(
    recipe: Mapping[str, Any], tally: Tally, dossier: Dossier
) -> dict[str, str | list[str]]:
    rows = {
        what: sum(n for (one, _), n in dossier.personal.items() if one == what) for what in PERSONAL
    }
    found = ", ".join(f"{what} in {count} rows" for what, count in rows.items())
    judges = sorted({judge for judge, _ in dossier.judges})
    models = [one.model for one in dossier.asked]
    counts = sorted(tally.problems.items())
    by_people = any(source == "human" for source, _ in tally.steps["label_source"])
    sources = ", ".join(f"{name} ({count} problems)" for name, count in counts)
    return {
        "rai:dataCollection": f"Problems of existing sources: {sources or 'none'}. Chains are the "
        "sources' own, written by models, or positives with one step made wrong on purpose.",
        "rai:dataCollectionType": ["Secondary Data Analysis", "Software Collection"],
        "rai:dataPreprocessingProtocol": "The stages and their rejects, with reasons, are in "
        "manifest.json; the recipe is in recipe.yaml.",
        "rai:dataAnnotationProtocol": "Labels follow from the construction of a chain where it is "
        "exact; else a panel of judges votes on each step given its premises, and "
        + _MAJORITIES[recipe["annotation"].get("aggregate", "majority")]
        + (
            " Where people labelled a step, theirs is the label, unless it is exact; they agreed, "
            "or somebody else decided between them."
            if by_people
            else ""
        ),
        **({"rai:annotatorDemographics": _people(recipe)} if by_people else {}),
        "rai:dataAnnotationPlatform": "chainwright",
        "rai:machineAnnotationTools": [*judges, *models] or ["none"],
        "rai:annotationsPerItem": f"{len(judges)} judges; their votes are in the config votes",
        "rai:dataAnnotationAnalysis": "Agreement with intervals, and the accuracy of judges on "
        "steps whose label is known by construction, are in the card.",
        "rai:personalSensitiveInformation": (
            "The names of those who labelled steps are not released, nor their notes. "
            if by_people
            else "None was collected. "
        )
        + f"Searched for: {found}.",
        "rai:dataBiases": "Questions and language are those of the sources; what no program or "
        "judge could read is rarer here; synthetic errors are as frequent as the recipe asked.",
        "rai:dataLimitations": "Tiers are patterns of votes, no accuracies. Errors made by "
        "construction are more regular than those of models.",
        "rai:dataUseCases": "Training and testing verifiers of reasoning steps and process reward "
        "models. Not for measuring how often models err, nor on the sources' test splits after "
        "training here.",
        "rai:dataSocialImpact": "Helps to find errors in chains of reasoning; a detector may fail "
        "on errors unlike these and must not be the only check where errors do harm.",
        "rai:dataReleaseMaintenancePlan": "A version never changes; corrections come as a new one."
        + (f" Errors: {recipe['release']['contact']}." if recipe["release"].get("contact") else ""),
    }


_MAJORITIES = {
    "majority": "a strict majority of the panel decides.",
    "calibrated": "their votes are weighed by how each judge does on exact labels.",
    "dawid_skene": "their votes are weighed by the model of Dawid and Skene.",
}
"""How votes become labels, by `annotation.aggregate`."""


def _people(recipe: Mapping[str, Any]) -> list[str]:
    who = {"experts": "Experts", "crowd": "A crowd"}.get(recipe["release"].get("people"))
    return [f"{who or 'People of whom nothing more is said'}; nothing about them is recorded."]


def _is_of(file: ReleasedFile, config: str) -> bool:
    return file.path.startswith(f"data/{config}/")


def _file_object(file: ReleasedFile) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": file.path,
        "name": file.path,
        "contentUrl": file.path,
        "contentSize": f"{file.bytes} B",
        "encodingFormat": "application/x-parquet",
        "sha256": file.sha256,
    }


def _file_set(config: str, shards: Sequence[ReleasedFile]) -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": f"files-of-{config}",
        "name": f"files-of-{config}",
        "containedIn": [{"@id": one.path} for one in shards if _is_of(one, config)],
        "encodingFormat": "application/x-parquet",
        "includes": f"data/{config}/*.parquet",
    }


def _record_set(config: str) -> dict[str, Any]:
    record = ALL_CONFIGS[config]
    meanings = {name: info.description or "" for name, info in record.model_fields.items()}
    return {
        "@type": "cr:RecordSet",
        "@id": config,
        "name": config,
        "description": " ".join((record.__doc__ or "").split()),
        "field": [
            _field(f"{config}/{one.name}", one.name, one.type, meanings.get(one.name, ""), config)
            for one in arrow_schema(record)
        ],
    }


def _field(path: str, name: str, kind: Any, meaning: str, config: str) -> dict[str, Any]:
    """A column; of a nested one the parts are named, and its values are read as they are."""
    import pyarrow as pa

    repeated = pa.types.is_list(kind)
    inner = kind.value_type if repeated else kind
    field: dict[str, Any] = {"@type": "cr:Field", "@id": path, "name": path}
    if meaning:
        field["description"] = meaning
    if repeated:
        field["repeated"] = True
    if pa.types.is_struct(inner):
        field["subField"] = [
            _field(f"{path}/{part.name}", name, part.type, "", config)
            | {"source": _source(config, name, part.name)}
            for part in inner
        ]
    else:
        field["dataType"] = _TYPES.get(str(inner), "sc:Text")
        field["source"] = _source(config, name)
    return field


def _source(config: str, column: str, part: str | None = None) -> dict[str, Any]:
    source: dict[str, Any] = {
        "fileSet": {"@id": f"files-of-{config}"},
        "extract": {"column": column},
    }
    if part is not None:
        source["transform"] = {"jsonPath": part}
    return source
