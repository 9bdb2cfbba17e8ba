// As precompiled.h, for the tests.
#include "precompiled.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
