import threading

import pytest

from chainwright.llm.single_flight import Flights


def test_one_leads_and_all_get_the_result() -> None:
    flights: Flights[str] = Flights()
    first, leads = flights.enter("key")
    second, also = flights.enter("key")
    assert (leads, also, first is second) == (True, False, True)
    flights.land("key", "answer")
    assert second.result() == "answer"
    assert flights.enter("key")[1]


def test_an_error_reaches_all_and_an_abandoned_flight_none() -> None:
    flights: Flights[str] = Flights()
    flights.enter("key")
    waiting, _ = flights.enter("key")
    flights.crash("key", ValueError("no"))
    with pytest.raises(ValueError, match="no"):
        waiting.result()
    flights.enter("key")
    waiting, _ = flights.enter("key")
    flights.abandon("key")
    assert waiting.result() is None


def test_threads_agree_on_one_leader() -> None:
    flights: Flights[int] = Flights()
    start = threading.Barrier(16)
    led: list[bool] = []

    def enter() -> None:
        start.wait()
        led.append(flights.enter("key")[1])

    threads = [threading.Thread(target=enter) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert led.count(True) == 1
