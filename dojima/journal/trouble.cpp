#include "dojima/journal/trouble.hpp"

#include "dojima/journal/disk.hpp"

namespace dojima::journal {

std::string describe(const Trouble& trouble) {
  std::string text = trouble.what.empty() ? text_of(trouble.error) : trouble.what;
  if (!trouble.what.empty() && is_of_disk(trouble.error)) text += ": " + text_of(trouble.error);
  if (!trouble.place.file.empty())
    text += "\n  where: " + trouble.place.file + " at byte " + std::to_string(trouble.place.offset) + ", record " +
            std::to_string(trouble.place.sequence.value);
  else if (trouble.place.sequence.value != 0)
    text += "\n  where: record " + std::to_string(trouble.place.sequence.value);
  if (!trouble.advice.empty()) text += "\n  what to do: " + trouble.advice;
  return text;
}

}  // namespace dojima::journal
