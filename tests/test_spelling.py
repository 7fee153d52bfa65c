from chainwright.spelling import nearest


def test_nearest_ignores_case_and_gives_the_allowed_spelling() -> None:
    assert nearest("GENERC", ["gsm8k", "Generic"]) == "Generic"


def test_nothing_is_near() -> None:
    assert nearest("xyz", ["limit", "seed"]) is None
    assert nearest("limit", []) is None


def test_cutoff_asks_for_more_likeness() -> None:
    assert nearest("base", ["answer", "seed"]) == "answer"
    assert nearest("base", ["answer", "seed"], cutoff=0.8) is None
