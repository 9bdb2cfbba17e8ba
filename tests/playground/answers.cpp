// One question of the playground's page a line, one answer a line: what the module in the page is held to.
#include "playground/answer.h"
#include <iostream>
#include <string>

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string question; std::getline(std::cin, question);)
    std::cout << warplens::playground::answer(question) << '\n';
}
