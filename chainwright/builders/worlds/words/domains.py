"""The domains of both tracks; their order enters what a key yields."""

from chainwright.builders.worlds.words.allotment import ALLOTMENT
from chainwright.builders.worlds.words.ferry import FERRY
from chainwright.builders.worlds.words.freight import FREIGHT
from chainwright.builders.worlds.words.grounding import GroundingDomain
from chainwright.builders.worlds.words.inference import InferenceDomain
from chainwright.builders.worlds.words.league import LEAGUE
from chainwright.builders.worlds.words.library import LIBRARY
from chainwright.builders.worlds.words.loans import LOANS
from chainwright.builders.worlds.words.museum import MUSEUM
from chainwright.builders.worlds.words.reading_room import READING_ROOM
from chainwright.builders.worlds.words.rowing import ROWING
from chainwright.builders.worlds.words.seeds import SEEDS
from chainwright.builders.worlds.words.weather import WEATHER

GROUNDING_DOMAINS: tuple[GroundingDomain, ...] = (
    MUSEUM,
    FERRY,
    SEEDS,
    LEAGUE,
    LIBRARY,
    WEATHER,
)

INFERENCE_DOMAINS: tuple[InferenceDomain, ...] = (
    ROWING,
    READING_ROOM,
    FREIGHT,
    LOANS,
    ALLOTMENT,
)
