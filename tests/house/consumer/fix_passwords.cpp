// Passwords that FIX peers chose, installed. Exit status 0 when all came as expected.

#include "dojima/fix/stored_passwords.hpp"
#include "dojima/journal/simulated_disk.hpp"

int main() {
  dojima::journal::SimulatedDisk disk;
  const auto stores = dojima::fix::JournalStores::open(disk, {.name = "t"});
  if (!stores) return 1;
  const dojima::fix::SessionName name{"FIX.4.4", "VENUE", "CLIENT"};
  if (!(*stores)->store(name)) return 1;
  dojima::fix::StoredPasswords passwords(**stores, 1000);
  if (!passwords.is_right(name, "first", "first") || !passwords.change(name, "first", "second")) return 1;
  return passwords.is_right(name, "first", "second") && !passwords.is_right(name, "first", "first") ? 0 : 1;
}
