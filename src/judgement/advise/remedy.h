// Of a piece of advice, what a tool could do in the source: found anew from the lanes that the advice came from.
#pragma once
#include "advise/advise.h"
#include "findings/remedy.h"

namespace warplens::advise {

// `site` and `context` are those that the advice was given for.
findings::Remedy remedy(const Advice&, const measure::SiteRecord& site, const Context& context);

} // namespace warplens::advise
