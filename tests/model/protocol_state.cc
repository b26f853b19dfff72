#include "protocol_state.h"

#include <cstring>

int NP = 1, NR = 3, F = 2, G = 1, FO = 1, DEPTH = 1, IDLE = 1, GC = 1, ROLL = 0, REL = 0, POWER = 0,
    SWEEP = 1, PART = 0, SQL = 0;
const char* const kBug[NBUGS] = {
    "scalar",     "offsets",  "snapid",    "nolistseal", "nolistclaim", "gcseal", "sweepstray",
    "sweepnaive", "hotname",  "norollchk", "claimfirst", "noseal",      "strict", "partrec",
    "noorder",    "samename", "rebuild",   "nosync",     "noself",      "nosince"};
bool bug[NBUGS];

H HashOf(const St& s) {
  const u8* d = (const u8*)&s;
  uint64_t a = 1469598103934665603ull, b = 0x9E3779B97F4A7C15ull;
  size_t n = sizeof s, i = 0;
  for (; i + 8 <= n; i += 8) {
    uint64_t x;
    memcpy(&x, d + i, 8);
    a = (a ^ x) * 0x9FB21C651E98DF25ull;
    a ^= a >> 29;
    b = (b + x) * 0xD6E8FEB86659FD93ull;
    b ^= b >> 32;
  }
  for (; i < n; i++) {
    a = (a ^ d[i]) * 0x9FB21C651E98DF25ull;
    b = (b + d[i]) * 0xD6E8FEB86659FD93ull;
  }
  a ^= a >> 32;
  return {a, b};
}

int NI() { return NR + IDLE; }

bool IsOff(int i) { return i < NR; }

bool GoldItem(int i) { return i >= NR || i % 2 == 0; }

int Hi(const St& s, int w) {
  for (int e = ME - 1; e >= 1; e--)
    if (s.slot[w][e]) return e;
  return 0;
}

int HiClaim(const St& s) {
  for (int n = MC - 1; n >= 0; n--)
    if (s.has[n]) return n;
  return 0;
}

bool Touches(const Rec& r, int t) {
  for (int p = 0; p < NP; p++)
    if (r.in >> p & 1)
      for (int i = r.from[p]; i < r.to[p]; i++)
        if (t == 0 ? IsOff(i) : GoldItem(i)) return true;
  return false;
}

int ReleasedAt(const St& s, const Map& m, int p) {
  int v = m.p[p].owner;
  if (v == NONE) return 0;
  for (int e = ME - 1; e >= 1; e--)
    if (s.slot[v][e] == 1 && s.r[v][e].rel >> p & 1 && s.r[v][e].cl[p] == m.p[p].since) return e;
  return 0;
}

int Start(const St& s, const Map& m, int v, int end, int p) {
  for (int e = end; e >= 1; e--)
    if (s.slot[v][e] == 1 && s.r[v][e].in >> p & 1 &&
        (bug[NOSINCE] || s.r[v][e].cl[p] == m.p[p].since))
      return s.r[v][e].to[p];
  return m.p[p].start;
}

bool Goal(const St& s) {
  if (s.rolled) return false;
  int hot = 0;
  for (int i = 0; i < NR; i++)
    if (i % 2 == 0) hot = i + 1;
  for (int p = 0; p < NP; p++) {
    for (int i = 0; i < NR; i++)
      if (s.t[0].rows[p][i] != 1) return false;
    if (s.t[1].nhot[p] != 1 || s.t[1].hot[p] != hot || s.t[1].closed[p] != IDLE) return false;
  }
  return true;
}
