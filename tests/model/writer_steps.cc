#include "writer_steps.h"

#include <algorithm>
#include <cstring>

static void ToHelp(Writer& w, int end) {
  w.k = end;
  ClearApply(w);
  w.aw = w.vic;
  w.ae = 1;
  w.pc = bug[CLAIMFIRST] ? CLAIM : HELP;
}

// Reads the newest claim and chooses what to take.
static void Lister(const St& s0, int i) {
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

static void ListOldLog(const St& s, int i) {
  const Writer& w0 = s.w[i];
  St x = s;
  Writer& w = x.w[i];
  int h = Hi(s, w0.vic);
  if (bug[NOSEAL]) {
    ToHelp(w, s.slot[w0.vic][h] == 2 ? h - 1 : h);
    Emit(x, "no seal");
    return;
  }
  if (!bug[NOSYNC]) x.vol[w0.vic] = 0;
  if (s.slot[w0.vic][h] == 2)
    ToHelp(w, h - 1);
  else {
    if (h + 1 >= ME) {
      Bad("bound ME");
      return;
    }
    w.k = h + 1;
    w.pc = SEALPUT;
  }
  Emit(x, "list the old log");
}

static void PutSeal(const St& s, int i) {
  const Writer& w0 = s.w[i];
  St x = s;
  Writer& w = x.w[i];
  if (s.slot[w0.vic][w0.k]) {
    w.pc = SEAL;
    Emit(x, "seal: 412");
    return;
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
}

static void CheckSeal(const St& s, int i) {
  const Writer& w0 = s.w[i];
  St x = s;
  Writer& w = x.w[i];
  x.vol[w0.vic] = 0;
  if (!bug[NOLISTSEAL] && Hi(s, w0.vic) > w0.k)
    w.pc = SEAL;
  else
    ToHelp(w, w0.k - 1);
  Emit(x, "seal confirmed by listing");
}

static void PutClaim(const St& s, int i) {
  const Writer& w0 = s.w[i];
  St x = s;
  Writer& w = x.w[i];
  int n = w0.cn + 1;
  if (n >= MC) {
    Bad("bound MC");
    return;
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
    return;
  }
  Map m = w0.m;
  for (int p = 0; p < NP; p++)
    if (w0.want >> p & 1)
      m.p[p] = {(u8)i, (u8)n, (u8)(w0.vic == NONE ? m.p[p].start : Start(s, m, w0.vic, w0.k, p))};
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
}

static void CheckClaim(const St& s, int i) {
  const Writer& w0 = s.w[i];
  St x = s;
  Writer& w = x.w[i];
  x.volc = 0;
  if (!bug[NOSELF] && s.slot[i][Hi(s, i)] == 2) {
    Die(x, i);
    Emit(x, "own log is sealed: exit");
    return;
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
}

static void BuildEpochs(const St& s, int i) {
  const Writer& w0 = s.w[i];
  bool idle = w0.applied + 1 == w0.e && !w0.ast;
  if (idle) Lister(s, i);
  if (w0.e - 1 - w0.applied >= DEPTH || !w0.own) return;
  for (int a = 0; a <= 2; a++)
    for (int b = 0; a + b <= 2; b++)
      for (int rel = 0; rel < 1 << NP; rel++) {
        int take[2] = {a, b};
        bool ok = rel == 0 || (REL && s.f && (rel & w0.own) == rel && rel != 3);
        if (a + b == 0 && !rel) ok = false;
        for (int p = 0; p < 2; p++)
          if (take[p] && (p >= NP || !(w0.own >> p & 1) || w0.next[p] + take[p] > NI())) ok = false;
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
}

static void PutEpoch(const St& s, int i) {
  const Writer& w0 = s.w[i];
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
    return;
  }
  if (s.slot[i][e] == 2) {
    Die(x, i);
    Emit(x, "record: 412, sealed: exit");
    return;
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
    return;
  }
  if (!Applied(x, 0, i, e) && !Applied(x, 1, i, e)) InOneTransaction(x, i, e);
  St y = x;
  go(x);
  Emit(x, "record: 200");
  if (s.g) {
    y.g--;
    Emit(y, "record put, answer lost", true);
  }
}

void StepMain(const St& s, int i) {
  switch (s.w[i].pc) {
    case LIST:
      return Lister(s, i);
    case SEAL:
      return ListOldLog(s, i);
    case SEALPUT:
      return PutSeal(s, i);
    case SEALCHK:
      return CheckSeal(s, i);
    case CLAIM:
      return PutClaim(s, i);
    case CLAIMCHK:
      return CheckClaim(s, i);
    case RUN:
      return BuildEpochs(s, i);
    case PUT:
      return PutEpoch(s, i);
  }
}

// The table is done: on to the next one, then to the next record.
static void Advance(Writer& w) {
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
}

void StepApply(const St& s, int i) {
  const Writer& w0 = s.w[i];
  int aw, ae;
  if (w0.pc == HELP) {
    aw = w0.aw;
    ae = w0.ae;
  } else if (w0.pc == RUN || w0.pc == PUT) {
    aw = i;
    ae = w0.applied + 1;
    if (ae >= w0.e) return;
  } else
    return;
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
    Advance(x.w[i]);
    Emit(x, "record collected, so applied");
    return;
  }
  int t = bug[NOORDER] ? 1 - w0.at : w0.at;
  const Rec& r = s.r[aw][ae];
  if (!w0.ast) {
    if (!Touches(r, t)) {
      Advance(x.w[i]);
      Emit(x, "no rows for this table: skip");
      return;
    }
    if (t == 0 && s.rolled && !bug[NOROLLCHK]) return;  // stop and tell the operator
    bool done = Applied(s, t, aw, ae);
    if (bug[SNAPID] && w0.unk) done = s.t[t].snap >> (aw * ME + ae) & 1;
    if (done) {
      Advance(x.w[i]);
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
  Advance(x.w[i]);
  Emit(x, t ? "gold: commit" : "bronze: commit");
  if (s.g) {
    Writer& v = y.w[i];
    y.g--;
    v.ast = v.ok = 0;
    v.unk = bug[SNAPID];
    Emit(y, "commit applied, answer lost", true);
  }
}
