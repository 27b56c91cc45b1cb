# SPDX-License-Identifier: Apache-2.0
import pytest

import jitune


@pytest.fixture(scope="session")
def session():
    """Of templates' defaults, without a database."""
    return jitune.Session(database="none", on_miss="default")
