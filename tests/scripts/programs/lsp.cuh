// Of lsp.cu, which finds it beside itself, saved or not.
#pragma once
constexpr unsigned step = 32;
