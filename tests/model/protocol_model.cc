// Explicit-state model of the epoch protocol: claims, writer logs, seals, two tables, foreign
// actors, collection. Breadth-first over all interleavings within the bounds; visited states are
// kept as 128-bit hashes. A process may pause for ever between any two steps (zombie) or die; a put
// may be applied and its answer lost; a timed-out put may land at any later moment ("ghost").
// Switches (-b name) take one rule away and must fail.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>
typedef uint8_t u8;
static const int MW = 5, ME = 10, MC = 9, MP = 2, NONE = 15;
static int NP = 1, NR = 3, F = 2, G = 1, FO = 1, DEPTH = 1, IDLE = 1, GC = 1, ROLL = 0, REL = 0,
           POWER = 0, SWEEP = 1, PART = 0, SQL = 0;
static long LIMIT = 60000000;
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
static const char* kBug[] = {"scalar",     "offsets",    "snapid",     "nolistseal", "nolistclaim",
                             "gcseal",     "sweepstray", "sweepnaive", "hotname",    "norollchk",
                             "claimfirst", "noseal",     "strict",     "partrec",    "noorder",
                             "samename",   "rebuild",    "nosync",     "noself",     "nosince"};
static bool bug[NBUGS];
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
  u8 p[MP], rows[MP][6], nhot[MP], hot[MP], alien[MP], closed[MP];
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
};
struct H {
  uint64_t a, b;
  bool operator==(const H& o) const { return a == o.a && b == o.b; }
};
struct HH {
  size_t operator()(const H& h) const { return h.a; }
};
static H HashOf(const St& s) {
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
static const char* fail = nullptr;
static size_t fail_at = 0;
static size_t MarkOut();
static void Bad(const char* m) {
  if (!fail) {
    fail = m;
    fail_at = MarkOut();
  }
}
static int NI() { return NR + IDLE; }
static bool IsOff(int i) { return i < NR; }
static bool GoldItem(int i) { return i >= NR || i % 2 == 0; }
static int Hi(const St& s, int w) {
  for (int e = ME - 1; e >= 1; e--)
    if (s.slot[w][e]) return e;
  return 0;
}
static int HiClaim(const St& s) {
  for (int n = MC - 1; n >= 0; n--)
    if (s.has[n]) return n;
  return 0;
}
static bool Touches(const Rec& r, int t) {
  for (int p = 0; p < NP; p++)
    if (r.in >> p & 1)
      for (int i = r.from[p]; i < r.to[p]; i++)
        if (t == 0 ? IsOff(i) : GoldItem(i)) return true;
  return false;
}
static u8 Pos(const Rec& r, int e, int p) {
  if (bug[OFFSETS]) return std::min<int>(r.to[p], NR);
  if (bug[SCALAR]) return e;
  return r.cl[p] * 16 + e;
}
static bool Applied(const St& s, int t, int w, int e) {
  const Rec& r = s.r[w][e];
  if (bug[SCALAR]) return s.t[t].p[0] >= e;
  int yes = 0, no = 0;
  for (int p = 0; p < NP; p++)
    if (r.in >> p & 1) (s.t[t].p[p] >= Pos(r, e, p) ? yes : no)++;
  if (yes && no && !bug[OFFSETS]) Bad("a record is applied for one partition and not for another");
  return yes > 0;
}
static void Moved(St& s, int t) {
  if (SQL) memset(s.grec, 0, sizeof s.grec);
  for (int w = 0; w < MW; w++)
    if (s.w[w].ast && s.w[w].at == t) s.w[w].ok = 0;
}
static void Commit(St& s, int t, int w, int e) {
  const Rec& r = s.r[w][e];
  Tab& T = s.t[t];
  if (t == 0 && ROLL) s.old = T;
  int h = Hi(s, w);
  if (s.slot[w][h] == 2 && e >= h) Bad("a sealed writer changed a table");
  if (s.del[w] >> e & 1) Bad("a commit names a file that was deleted");
  for (int p = 0; p < NP; p++)
    if (r.in >> p & 1) {
      for (int i = r.from[p]; i < r.to[p]; i++) {
        if (t == 0 && IsOff(i)) {
          if (++T.rows[p][i] > 1) Bad("duplicate row in bronze");
          if (!s.ever)
            for (int j = 0; j < i; j++)
              if (!T.rows[p][j]) Bad("bronze has a hole (rows lost)");
        }
        if (t == 1 && i >= NR && ++T.closed[p] > 1) Bad("duplicate closed row in gold");
        if (t == 1 && IsOff(i) && i % 2 == 0) {
          T.nhot[p] = bug[HOTNAME] && T.alien[p] ? T.nhot[p] + 1 : 1;
          T.alien[p] = 0;
          if (i + 1 < T.hot[p]) Bad("gold went back");
          T.hot[p] = i + 1;
          if (T.nhot[p] > 1) Bad("duplicate hot rows in gold");
        }
      }
      if (t == 1 && !s.ever)
        for (int i = 0; i < T.hot[p]; i++)
          if (!s.t[0].rows[p][i]) Bad("gold is ahead of bronze");
      if (!bug[SCALAR]) T.p[p] = Pos(r, e, p);
    }
  if (bug[SCALAR]) T.p[0] = e;
  if (bug[SNAPID]) T.snap |= 1ull << (w * ME + e);
  Moved(s, t);
}
static void PutRecord(St& s, int w, int e) {  // the slot is free: the record becomes history
  s.slot[w][e] = 1;
  const Rec& r = s.r[w][e];
  if (s.rec_ever[w] >> e & 1) return;  // the same bytes came back after collection
  s.rec_ever[w] |= 1 << e;
  if (s.del[w] >> e & 1) Bad("a record names a file that was deleted");
  for (int v = 0; v < MW; v++)
    for (int x = 1; x < ME; x++)
      if ((v != w || x != e) && s.rec_ever[v] >> x & 1)
        for (int p = 0; p < NP; p++)
          if ((r.in & s.r[v][x].in) >> p & 1)
            if (std::max(r.from[p], s.r[v][x].from[p]) < std::min(r.to[p], s.r[v][x].to[p]))
              Bad("one offset decided twice");
}
static int Start(const St& s, const Map& m, int v, int end,
                 int p) {  // where partition p of log v ended
  for (int e = end; e >= 1; e--)
    if (s.slot[v][e] == 1 && s.r[v][e].in >> p & 1 &&
        (bug[NOSINCE] || s.r[v][e].cl[p] == m.p[p].since))
      return s.r[v][e].to[p];
  return m.p[p].start;
}
static void InOneTransaction(St& s, int w,
                             int e) {  // -sql 1: the record carries both tables with it
  for (int t = 0; SQL && t < 2; t++)
    if (Touches(s.r[w][e], t)) Commit(s, t, w, e);
}
static bool Goal(const St& s) {
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
struct Next {
  St s;
  const char* what;
  bool fault;
};
static std::vector<Next> out;
static size_t MarkOut() { return out.size(); }
static void Emit(const St& s, const char* what, bool fault = false) {
  out.push_back({s, what, fault});
}
static void ClearApply(Writer& w) { w.ast = w.at = w.ae = w.aw = w.ok = w.unk = 0; }
static void Die(St& s, int i) {
  Writer z;
  memset(&z, 0, sizeof z);
  s.w[i] = z;
}
static int ReleasedAt(const St& s, const Map& m, int p) {
  int v = m.p[p].owner;
  if (v == NONE) return 0;
  for (int e = ME - 1; e >= 1; e--)
    if (s.slot[v][e] == 1 && s.r[v][e].rel >> p & 1 && s.r[v][e].cl[p] == m.p[p].since) return e;
  return 0;
}
static void ToHelp(Writer& w, int end) {
  w.k = end;
  ClearApply(w);
  w.aw = w.vic;
  w.ae = 1;
  w.pc = bug[CLAIMFIRST] ? CLAIM : HELP;
}
static void Lister(const St& s0, int i) {  // read the newest claim and choose what to take
  St s = s0;
  if (!bug[NOSYNC]) s.volc = 0;
  if (!bug[NOSELF] && s.slot[i][Hi(s, i)] == 2) {
    Die(s, i);
    Emit(s, "own log is sealed: exit");
    return;
  }
  int n = HiClaim(s);
  const Map& m = s.c[n];
  int freep = 0;
  for (int p = 0; p < NP; p++)
    if (m.p[p].owner == NONE) freep |= 1 << p;
  if (freep) {
    St x = s;
    Writer& w = x.w[i];
    w.cn = n;
    w.m = m;
    w.want = freep;
    w.vic = NONE;
    w.pc = CLAIM;
    Emit(x, "list: free partitions");
  }
  for (int v = 0; v < MW; v++) {
    int mask = 0;
    for (int p = 0; p < NP; p++)
      if (m.p[p].owner == v) mask |= 1 << p;
    if (!mask) continue;
    bool gone = s.w[v].pc == DEAD || s.slot[v][Hi(s, v)] == 2;
    if (v != i && (gone || s.f))
      for (int want = 1; want <= mask; want++)
        if ((want & mask) == want && (PART || want == mask)) {
          St x = s;
          Writer& w = x.w[i];
          if (!gone) x.f--;
          w.cn = n;
          w.m = m;
          w.want = want;
          w.drop = mask & ~want;
          w.vic = v;
          w.pc = SEAL;
          Emit(x, gone ? "list: take over a dead writer" : "list: take over a live writer", !gone);
        }
    for (int p = 0; p < NP; p++)
      if (mask >> p & 1)
        if (int e = ReleasedAt(s, m, p)) {
          St x = s;
          if (!bug[NOSYNC]) x.vol[v] = 0;
          Writer& w = x.w[i];
          w.cn = n;
          w.m = m;
          w.want = 1 << p;
          w.vic = v;
          ToHelp(w, e);
          Emit(x, "list: claim a released partition");
        }
  }
}
static void StepApply(const St& s, int i) {  // one step of the apply thread of writer i
  const Writer& w0 = s.w[i];
  int aw, ae;
  if (w0.pc == HELP) {
    aw = w0.aw;
    ae = w0.ae;
  } else if (w0.pc == RUN || w0.pc == PUT) {
    aw = i;
    ae = w0.applied + 1;
    if (ae >= w0.e + 0) return;
  } else
    return;
  auto advance = [&](St& y) {
    Writer& w = y.w[i];
    w.ast = w.ok = w.unk = 0;
    if (w.at == 0) {
      w.at = 1;
      return;
    }
    w.at = 0;
    if (w.pc == HELP)
      w.ae++;
    else
      w.applied++;
  };
  St x = s;
  Writer& w = x.w[i];
  if (w0.pc == HELP && ae > w0.k) {
    ClearApply(w);
    w.pc = CLAIM;
    Emit(x, "predecessor fully applied");
    return;
  }
  if (w0.pc == HELP && s.slot[aw][ae] != 1) {
    w.at = 1;
    advance(x);
    Emit(x, "record collected, so applied");
    return;
  }
  int t = bug[NOORDER] ? 1 - w0.at : w0.at;
  const Rec& r = s.r[aw][ae];
  if (!w0.ast) {
    if (!Touches(r, t)) {
      advance(x);
      Emit(x, "no rows for this table: skip");
      return;
    }
    if (t == 0 && s.rolled && !bug[NOROLLCHK]) return;  // stop and tell the operator
    bool done = Applied(s, t, aw, ae);
    if (bug[SNAPID] && w0.unk) done = s.t[t].snap >> (aw * ME + ae) & 1;
    if (done) {
      advance(x);
      Emit(x, "already applied");
      return;
    }
    if (bug[STRICT])
      for (int p = 0; p < NP; p++)
        if (r.in >> p & 1 && ae > 1 && s.t[t].p[p] != r.cl[p] * 16 + ae - 1) return;
    w.ast = 1;
    w.ok = 1;
    Emit(x, t ? "gold: load" : "bronze: load");
    return;
  }
  if (!w0.ok) {
    w.ast = w.unk = 0;
    Emit(x, "compare-and-swap lost: reload");
    return;
  }
  Commit(x, t, aw, ae);
  St y = x;
  advance(x);
  Emit(x, t ? "gold: commit" : "bronze: commit");
  if (s.g) {
    Writer& v = y.w[i];
    y.g--;
    v.ast = v.ok = 0;
    v.unk = bug[SNAPID];
    Emit(y, "commit applied, answer lost", true);
  }
}
static void StepMain(const St& s, int i) {
  const Writer& w0 = s.w[i];
  int h;
  switch (w0.pc) {
    case LIST:
      Lister(s, i);
      break;
    case SEAL: {
      St x = s;
      Writer& w = x.w[i];
      h = Hi(s, w0.vic);
      if (bug[NOSEAL]) {
        ToHelp(w, s.slot[w0.vic][h] == 2 ? h - 1 : h);
        Emit(x, "no seal");
        break;
      }
      if (!bug[NOSYNC]) x.vol[w0.vic] = 0;
      if (s.slot[w0.vic][h] == 2)
        ToHelp(w, h - 1);
      else {
        if (h + 1 >= ME) {
          Bad("bound ME");
          break;
        }
        w.k = h + 1;
        w.pc = SEALPUT;
      }
      Emit(x, "list the old log");
      break;
    }
    case SEALPUT: {
      St x = s;
      Writer& w = x.w[i];
      if (s.slot[w0.vic][w0.k]) {
        w.pc = SEAL;
        Emit(x, "seal: 412");
        break;
      }
      if (s.g) {
        St y = s;
        y.g--;
        y.gseal[w0.vic] |= 1 << w0.k;
        Die(y, i);
        Emit(y, "seal in flight, sealer dies", true);
      }
      x.slot[w0.vic][w0.k] = 2;
      if (POWER) x.vol[w0.vic] |= 1 << w0.k;
      St y = x;
      w.pc = SEALCHK;
      Emit(x, "seal: 200");
      if (s.g) {
        y.g--;
        y.w[i].pc = SEAL;
        Emit(y, "seal applied, answer lost", true);
      }
      break;
    }
    case SEALCHK: {
      St x = s;
      Writer& w = x.w[i];
      x.vol[w0.vic] = 0;
      if (!bug[NOLISTSEAL] && Hi(s, w0.vic) > w0.k)
        w.pc = SEAL;
      else
        ToHelp(w, w0.k - 1);
      Emit(x, "seal confirmed by listing");
      break;
    }
    case CLAIM: {
      St x = s;
      Writer& w = x.w[i];
      int n = w0.cn + 1;
      if (n >= MC) {
        Bad("bound MC");
        break;
      }
      if (s.has[n]) {
        if (s.mine[n] == i && !bug[SAMENAME])
          w.pc = CLAIMCHK;
        else {
          ClearApply(w);
          w.drop = 0;
          w.pc = w.own || w.e > 1 ? RUN : LIST;
        }
        Emit(x, "claim: 412");
        break;
      }
      Map m = w0.m;
      for (int p = 0; p < NP; p++)
        if (w0.want >> p & 1)
          m.p[p] = {(u8)i, (u8)n,
                    (u8)(w0.vic == NONE ? m.p[p].start : Start(s, m, w0.vic, w0.k, p))};
      for (int p = 0; p < NP; p++)
        if (w0.drop >> p & 1) m.p[p] = {NONE, (u8)n, (u8)Start(s, m, w0.vic, w0.k, p)};
      if (s.g && !s.gclaim) {
        St y = s;
        y.g--;
        y.gclaim = n;
        y.gm = m;
        y.gw = i;
        Emit(y, "claim in flight", true);
      }
      x.has[n] = 1;
      x.c[n] = m;
      x.mine[n] = i;
      if (POWER) x.volc |= 1 << n;
      St y = x;
      w.pc = CLAIMCHK;
      Emit(x, "claim: 200");
      if (s.g) {
        y.g--;
        Emit(y, "claim applied, answer lost", true);
      }
      break;
    }
    case CLAIMCHK: {
      St x = s;
      Writer& w = x.w[i];
      x.volc = 0;
      if (!bug[NOSELF] && s.slot[i][Hi(s, i)] == 2) {
        Die(x, i);
        Emit(x, "own log is sealed: exit");
        break;
      }
      int n = w0.cn + 1, top = bug[NOLISTCLAIM] && s.has[n] ? n : HiClaim(s);
      for (int p = 0; p < NP; p++) {
        const Entry& e = s.c[top].p[p];
        if (w0.want >> p & 1 && e.owner == i && e.since == n) {
          w.own |= 1 << p;
          w.next[p] = e.start;
          w.cl[p] = n;
        }
      }
      w.cn = w.vic = w.k = w.want = w.drop = 0;
      memset(&w.m, 0, sizeof w.m);
      ClearApply(w);
      if (!w.e) w.e = 1;
      w.pc = w.own ? RUN : LIST;
      Emit(x, "claim confirmed by listing");
      break;
    }
    case RUN: {
      bool idle = w0.applied + 1 == w0.e && !w0.ast;
      if (idle) Lister(s, i);
      if (w0.e - 1 - w0.applied >= DEPTH || !w0.own) break;
      for (int a = 0; a <= 2; a++)
        for (int b = 0; a + b <= 2; b++)
          for (int rel = 0; rel < 1 << NP; rel++) {
            int take[2] = {a, b};
            bool ok = rel == 0 || (REL && s.f && (rel & w0.own) == rel && rel != 3);
            if (a + b == 0 && !rel) ok = false;
            for (int p = 0; p < 2; p++)
              if (take[p] && (p >= NP || !(w0.own >> p & 1) || w0.next[p] + take[p] > NI()))
                ok = false;
            if (!ok) continue;
            if (w0.e + 1 >= ME) {
              Bad("bound ME");
              return;
            }
            St x = s;
            Writer& w = x.w[i];
            Rec& r = x.r[i][w0.e];
            memset(&r, 0, sizeof r);
            for (int p = 0; p < NP; p++)
              if (w0.own >> p & 1 && (!bug[PARTREC] || take[p] || rel >> p & 1)) {
                r.in |= 1 << p;
                r.from[p] = w0.next[p];
                r.to[p] = w0.next[p] + take[p];
                r.cl[p] = w0.cl[p];
              }
            r.rel = rel;
            if (rel) x.f--;
            x.built[i] |= 1 << w0.e;
            w.pc = PUT;
            Emit(x, "build an epoch", rel != 0);
          }
      break;
    }
    case PUT: {
      St x = s;
      int e = w0.e;
      auto go = [&](St& y) {
        Writer& v = y.w[i];
        const Rec& r = y.r[i][e];
        for (int p = 0; p < NP; p++)
          if (r.in >> p & 1) {
            v.next[p] = r.to[p];
            if (r.rel >> p & 1) {
              v.own &= ~(1 << p);
              v.next[p] = v.cl[p] = 0;
            }
          }
        v.e++;
        v.pc = RUN;
      };
      if (s.slot[i][e] == 1) {
        x.vol[i] = 0;
        if (s.gdiv) {
          std::swap(x.r[i][e], x.gr);
          Rec real = x.gr;
          go(x);
          x.r[i][e] = real;
          memset(&x.gr, 0, sizeof(Rec));
          x.gdiv = x.gri = x.gre = 0;
        } else
          go(x);
        Emit(x, "record: 412, mine");
        break;
      }
      if (s.slot[i][e] == 2) {
        Die(x, i);
        Emit(x, "record: 412, sealed: exit");
        break;
      }
      if (s.g && !(s.grec[i] >> e & 1)) {
        St y = s;
        y.g--;
        y.grec[i] |= 1 << e;
        Emit(y, "record in flight, will be retried", true);
      }
      if (bug[REBUILD] && s.g && !s.gre) {
        St y = s;
        y.g--;
        y.gr = s.r[i][e];
        y.gri = i;
        y.gre = e;
        y.w[i].pc = RUN;
        Emit(y, "record in flight, epoch rebuilt", true);
      }
      PutRecord(x, i, e);
      if (POWER) {
        x.vol[i] |= 1 << e;
        Emit(x, "record: linked");
        break;
      }
      if (!Applied(x, 0, i, e) && !Applied(x, 1, i, e)) InOneTransaction(x, i, e);
      St y = x;
      go(x);
      Emit(x, "record: 200");
      if (s.g) {
        y.g--;
        Emit(y, "record put, answer lost", true);
      }
      break;
    }
  }
}
static void Environment(const St& s) {
  int alive = 0;
  for (int i = 0; i < MW; i++) alive += s.w[i].pc != DEAD;
  for (int i = 0; i < MW; i++)
    if (s.w[i].pc != DEAD && s.f) {
      St x = s;
      x.f--;
      Die(x, i);
      Emit(x, "crash", true);
    }
  if (s.nw < MW && (!alive || s.f)) {
    St x = s;
    if (alive) x.f--;
    x.w[x.nw].pc = LIST;
    x.w[x.nw].e = 1;
    x.nw++;
    Emit(x, "a writer starts", alive);
  }
  for (int w = 0; w < MW; w++)
    for (int e = 1; e < ME; e++) {
      if (s.grec[w] >> e & 1) {
        St x = s;
        x.grec[w] &= ~(1 << e);
        if (!x.slot[w][e]) {
          PutRecord(x, w, e);
          InOneTransaction(x, w, e);
        }
        Emit(x, "late record put lands", true);
      }
      if (s.gseal[w] >> e & 1) {
        St x = s;
        x.gseal[w] &= ~(1 << e);
        if (!x.slot[w][e]) x.slot[w][e] = 2;
        Emit(x, "late seal lands", true);
      }
    }
  if (s.gre && !s.gdiv) {
    int w = s.gri, e = s.gre;
    St x = s;
    if (!s.slot[w][e]) {
      std::swap(x.r[w][e], x.gr);
      x.gdiv = 1;
      PutRecord(x, w, e);
    } else {
      memset(&x.gr, 0, sizeof(Rec));
      x.gri = x.gre = 0;
    }
    Emit(x, "late first content lands", true);
  }
  if (POWER && s.f) {
    St x = s;
    x.f--;
    for (int w = 0; w < MW; w++) {
      for (int e = 1; e < ME; e++)
        if (s.vol[w] >> e & 1) {
          x.slot[w][e] = 0;
          x.rec_ever[w] &= ~(1 << e);
        }
      x.vol[w] = 0;
      Die(x, w);
    }
    for (int n = 0; n < MC; n++)
      if (s.volc >> n & 1) {
        x.has[n] = x.mine[n] = 0;
        memset(&x.c[n], 0, sizeof(Map));
      }
    x.volc = 0;
    Emit(x, "power loss", true);
  }
  if (s.gclaim) {
    St x = s;
    if (!x.has[s.gclaim]) {
      x.has[s.gclaim] = 1;
      x.c[s.gclaim] = s.gm;
      x.mine[s.gclaim] = s.gw;
    }
    x.gclaim = x.gw = 0;
    memset(&x.gm, 0, sizeof x.gm);
    Emit(x, "late claim lands", true);
  }
  int top = HiClaim(s);
  const Map& m = s.c[top];
  if (GC) {
    for (int n = 0; n < top && (!s.volc || bug[NOSYNC]); n++)
      if (s.has[n]) {
        St x = s;
        x.has[n] = 0;
        memset(&x.c[n], 0, sizeof(Map));
        x.mine[n] = 0;
        Emit(x, "collect a claim", true);
        break;
      }
    for (int w = 0; w < MW; w++)
      if ((!s.vol[w] && !s.volc) || bug[NOSYNC]) {
        int h = Hi(s, w), last = s.slot[w][h] == 2 ? 0 : h, e = 1;
        while (e < h && !s.slot[w][e]) e++;
        if (e < h && s.slot[w][e] == 2) {
          St x = s;
          x.slot[w][e] = 0;
          Emit(x, "collect a stray seal", true);
        }
        if (e < h && s.slot[w][e] == 1) {
          const Rec& r = s.r[w][e];
          bool ok = true;
          for (int t = 0; t < 2; t++)
            if (Touches(r, t) && !Applied(s, t, w, e)) ok = false;
          for (int p = 0; p < NP; p++)
            if (r.in >> p & 1)
              if (!((last && (bug[PARTREC] ||
                              (s.r[w][last].in >> p & 1 && s.r[w][last].cl[p] == r.cl[p]))) ||
                    m.p[p].since > r.cl[p]))
                ok = false;
          if (ok) {
            St x = s;
            x.slot[w][e] = 0;
            Emit(x, "collect a record", true);
          }
        }
        if (bug[GCSEAL] && h && s.slot[w][h] == 2) {
          bool used = false;
          for (int p = 0; p < NP; p++) used |= m.p[p].owner == w;
          if (!used) {
            St x = s;
            x.slot[w][h] = 0;
            Emit(x, "collect a seal", true);
          }
        }
      }
    if (SWEEP)
      for (int w = 0; w < MW; w++)
        for (int e = 1; e < ME; e++)
          if (s.built[w] >> e & 1 && !(s.del[w] >> e & 1) && !s.vol[w]) {
            int h = Hi(s, w);
            bool ok = s.slot[w][h] == 2 && e >= h;
            if (bug[SWEEPSTRAY]) ok = s.slot[w][e] == 2;
            if (bug[SWEEPNAIVE]) ok = s.slot[w][e] != 1;
            if (ok) {
              St x = s;
              x.del[w] |= 1 << e;
              if (s.rec_ever[w] >> e & 1) Bad("a committed file was deleted");
              Emit(x, "sweep orphan files", true);
            }
          }
  }
  if (s.fo)
    for (int t = 0; t < 2; t++) {
      St x = s;
      x.fo--;
      Moved(x, t);
      if (t)
        for (int p = 0; p < NP; p++)
          if (x.t[1].nhot[p]) x.t[1].alien[p] = 1;
      x.t[t].snap = 0;
      Emit(x, t ? "foreign compaction and expiry in gold" : "foreign commit and expiry in bronze",
           true);
    }
  if (ROLL && s.fo && !s.rolled && memcmp(&s.old, &s.t[0], sizeof(Tab))) {
    St x = s;
    x.fo--;
    x.top = s.t[0];
    memcpy(x.t[0].rows, s.old.rows, sizeof s.old.rows);
    x.rolled = x.ever = 1;
    Moved(x, 0);
    Emit(x, "operator rolls bronze back", true);
  }
  if (s.rolled) {
    St x = s;
    x.t[0] = x.top;
    memset(&x.top, 0, sizeof(Tab));
    x.rolled = 0;
    Moved(x, 0);
    Emit(x, "operator: roll forward");
  }
}
int main(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string k = argv[i];
    int v = atoi(argv[i + 1]);
    if (k == "-p")
      NP = v;
    else if (k == "-r")
      NR = v;
    else if (k == "-f")
      F = v;
    else if (k == "-g")
      G = v;
    else if (k == "-o")
      FO = v;
    else if (k == "-d")
      DEPTH = v;
    else if (k == "-idle")
      IDLE = v;
    else if (k == "-gc")
      GC = v;
    else if (k == "-roll")
      ROLL = v;
    else if (k == "-rel")
      REL = v;
    else if (k == "-power")
      POWER = v;
    else if (k == "-sweep")
      SWEEP = v;
    else if (k == "-part")
      PART = v;
    else if (k == "-sql")
      SQL = v;
    else if (k == "-limit")
      LIMIT = atol(argv[i + 1]);
    else if (k == "-b") {
      bool ok = false;
      for (int b = 0; b < NBUGS; b++)
        if (k = argv[i + 1], k == kBug[b]) bug[b] = ok = true;
      if (!ok) return puts("no such switch"), 2;
    }
  }
  St s0;
  memset(&s0, 0, sizeof s0);
  s0.f = F;
  s0.g = G;
  s0.fo = FO;
  s0.nw = 1;
  s0.has[0] = 1;
  s0.w[0].pc = LIST;
  s0.w[0].e = 1;
  for (int p = 0; p < NP; p++) s0.c[0].p[p].owner = NONE;
  std::unordered_map<H, uint32_t, HH> seen;
  seen.reserve(1 << 22);
  std::vector<uint32_t> parent;
  std::vector<St> layer{s0}, next;
  std::vector<uint32_t> ids{0}, nids;
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  std::vector<bool> goal;
  std::vector<bool> bound;
  seen[HashOf(s0)] = 0;
  parent.push_back(0);
  goal.push_back(Goal(s0));
  size_t steps = 0, depth = 0;
  auto trace = [&](uint32_t id, const char* last) {
    std::vector<uint32_t> path;
    for (uint32_t x = id;; x = parent[x]) {
      path.push_back(x);
      if (!x) break;
    }
    std::reverse(path.begin(), path.end());
    St s = s0;
    fail = nullptr;
    for (size_t k = 1; k < path.size(); k++) {
      out.clear();
      for (int w = 0; w < MW; w++) {
        size_t a = out.size();
        StepMain(s, w);
        StepApply(s, w);
        for (; a < out.size(); a++)
          if (auto it = seen.find(HashOf(out[a].s)); it != seen.end() && it->second == path[k]) {
            printf("  writer %d: %s\n", w, out[a].what);
            s = out[a].s;
            goto hit;
          }
      }
      {
        size_t a = out.size();
        Environment(s);
        for (; a < out.size(); a++)
          if (auto it = seen.find(HashOf(out[a].s)); it != seen.end() && it->second == path[k]) {
            printf("  world: %s\n", out[a].what);
            s = out[a].s;
            goto hit;
          }
      }
    hit:;
    }
    if (last) printf("  then: %s\n", last);
  };
  while (!layer.empty()) {
    next.clear();
    nids.clear();
    for (size_t q = 0; q < layer.size(); q++) {
      out.clear();
      const St cur = layer[q];
      auto check = [&](size_t from) {
        if (!fail) return false;
        const char* f = fail;
        size_t at = fail_at;
        printf("VIOLATION: %s (depth %zu, %zu states)\n", f, depth, parent.size());
        (void)from;
        trace(ids[q], at < out.size() ? out[at].what : "?");
        return true;
      };
      size_t n = 0;
      for (int w = 0; w < MW; w++) {
        StepMain(cur, w);
        if (check(n)) return 1;
        StepApply(cur, w);
        if (check(n)) return 1;
        n = out.size();
      }
      Environment(cur);
      if (check(n)) return 1;
      for (auto& o : out) {
        steps++;
        auto [it, fresh] = seen.try_emplace(HashOf(o.s), (uint32_t)parent.size());
        if (fresh) {
          parent.push_back(ids[q]);
          goal.push_back(Goal(o.s));
          next.push_back(o.s);
          nids.push_back(it->second);
        }
        if (!o.fault) edges.push_back({it->second, ids[q]});
      }
      if ((long)parent.size() > LIMIT) {
        printf("LIMIT reached: %zu states, depth %zu, no violation so far (not exhaustive)\n",
               parent.size(), depth);
        return 3;
      }
    }
    depth++;
    layer.swap(next);
    ids.swap(nids);
  }
  size_t n = parent.size();
  std::vector<bool> live(goal);
  std::vector<uint32_t> stack;
  for (size_t i = 0; i < n; i++)
    if (goal[i]) stack.push_back(i);
  std::sort(edges.begin(), edges.end());
  size_t goals = stack.size();
  while (!stack.empty()) {
    uint32_t v = stack.back();
    stack.pop_back();
    for (auto it = std::lower_bound(edges.begin(), edges.end(), std::make_pair(v, 0u));
         it != edges.end() && it->first == v; ++it)
      if (!live[it->second]) {
        live[it->second] = true;
        stack.push_back(it->second);
      }
  }
  size_t stuck = 0, first = 0;
  for (size_t i = n; i-- > 0;)
    if (!live[i]) {
      stuck++;
      first = i;
    }
  printf(
      "states %zu, transitions %zu, depth %zu, complete states %zu, states from which the pipeline "
      "cannot complete: %zu\n",
      n, steps, depth, goals, stuck);
  if (stuck) {
    printf("NO PROGRESS, shortest:\n");
    trace(first, nullptr);
    return 1;
  }
  puts("OK");
  return 0;
}
