#pragma once
// One state of the protocol model: claims, writer logs, two tables, and what is still on its way.
//
// Plain bytes without padding: states are compared by a hash over all of them. The bounds and
// the rules that are taken away are set once, before the search.
#include <cstddef>
#include <cstdint>
#include <type_traits>

using u8 = uint8_t;
constexpr int MW = 5, ME = 10, MC = 9, MP = 2, NONE = 15;  // writers, epochs, claims, partitions

// Bounds of a search (README.md names their options).
extern int NP, NR, F, G, FO, DEPTH, IDLE, GC, ROLL, REL, POWER, SWEEP, PART, SQL;

// One rule of the protocol each; without it the model must break.
enum Bug {
  SCALAR,
  OFFSETS,
  SNAPID,
  NOLISTSEAL,
  NOLISTCLAIM,
  GCSEAL,
  SWEEPSTRAY,
  SWEEPNAIVE,
  HOTNAME,
  NOROLLCHK,
  CLAIMFIRST,
  NOSEAL,
  STRICT,
  PARTREC,
  NOORDER,
  SAMENAME,
  REBUILD,
  NOSYNC,
  NOSELF,
  NOSINCE,
  NBUGS
};
extern const char* const kBug[NBUGS];
extern bool bug[NBUGS];

enum Pc { DEAD, LIST, SEAL, SEALPUT, SEALCHK, HELP, CLAIM, CLAIMCHK, RUN, PUT };
struct Entry {
  u8 owner, since, start;
};
struct Map {
  Entry p[MP];
};
struct Rec {
  u8 in, rel, from[MP], to[MP], cl[MP];
};  // in: mask of partitions the record covers
struct Writer {
  u8 drop, pc, vic, k, want, cn, e, applied, own, aw, ae, at, ast, ok, unk;
  u8 next[MP], cl[MP];
  Map m;
};
struct Tab {
  u8 p[MP], rows[MP][6], nhot[MP], hot[MP], alien[MP], closed[MP], spare[2];
  uint64_t snap;
};
struct St {
  Tab t[2];
  Tab old, top;                           // old/top: bronze before its last commit / at rollback
  u8 f, g, fo, nw, rolled, ever, gclaim;  // gclaim: number of a claim still on its way (0 = none)
  u8 slot[MW][ME], has[MC];
  Map c[MC], gm;
  u8 mine[MC], gw;  // mine: who put the claim
  uint16_t built[MW], rec_ever[MW], del[MW], grec[MW], gseal[MW];
  uint16_t vol[MW], volc;
  Rec gr;
  u8 gri, gre, gdiv;  // names not yet synced; a second content for one number
  Rec r[MW][ME];
  Writer w[MW];
  u8 spare[2];
};
static_assert(std::has_unique_object_representations_v<St>);  // bytes are compared
struct H {
  uint64_t a, b;
  bool operator==(const H& o) const { return a == o.a && b == o.b; }
};
struct HH {
  size_t operator()(const H& h) const { return h.a; }
};

H HashOf(const St& s);

int NI();                    // items of a partition: rows, then what only time brings
bool IsOff(int i);           // an item that has an offset
bool GoldItem(int i);        // an item that gold gets rows from
int Hi(const St& s, int w);  // the newest number in the log of w, record or seal
int HiClaim(const St& s);    // the newest claim
bool Touches(const Rec& r, int t);
int ReleasedAt(const St& s, const Map& m, int p);             // the record that gave p away, or 0
int Start(const St& s, const Map& m, int v, int end, int p);  // where p of log v ended
bool Goal(const St& s);                                       // everything is in the tables, once
