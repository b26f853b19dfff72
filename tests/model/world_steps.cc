#include "world_steps.h"

#include <algorithm>
#include <cstring>

static void CrashesAndStarts(const St& s) {
  int alive = 0;
  for (const Writer& w : s.w) alive += w.pc != DEAD;
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
}

static void LateRecordsAndSeals(const St& s) {
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
}

static void PowerLoss(const St& s) {
  if (!POWER || !s.f) return;
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

static void LateClaim(const St& s) {
  if (!s.gclaim) return;
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

static void CollectClaim(const St& s, int top) {
  for (int n = 0; n < top && (!s.volc || bug[NOSYNC]); n++)
    if (s.has[n]) {
      St x = s;
      x.has[n] = 0;
      memset(&x.c[n], 0, sizeof(Map));
      x.mine[n] = 0;
      Emit(x, "collect a claim", true);
      break;
    }
}

// May record e of log w go: is it in every table, and does a newer one or a claim stand for it?
static bool MayCollect(const St& s, const Map& m, int w, int e, int last) {
  const Rec& r = s.r[w][e];
  for (int t = 0; t < 2; t++)
    if (Touches(r, t) && !Applied(s, t, w, e)) return false;
  for (int p = 0; p < NP; p++)
    if (r.in >> p & 1)
      if (!((last &&
             (bug[PARTREC] || (s.r[w][last].in >> p & 1 && s.r[w][last].cl[p] == r.cl[p]))) ||
            m.p[p].since > r.cl[p]))
        return false;
  return true;
}

static void CollectLog(const St& s, const Map& m, int w) {
  int h = Hi(s, w), last = s.slot[w][h] == 2 ? 0 : h, e = 1;
  while (e < h && !s.slot[w][e]) e++;
  if (e < h && s.slot[w][e] == 2) {
    St x = s;
    x.slot[w][e] = 0;
    Emit(x, "collect a stray seal", true);
  }
  if (e < h && s.slot[w][e] == 1 && MayCollect(s, m, w, e, last)) {
    St x = s;
    x.slot[w][e] = 0;
    Emit(x, "collect a record", true);
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

static void SweepFiles(const St& s) {
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

static void Collect(const St& s) {
  if (!GC) return;
  int top = HiClaim(s);
  CollectClaim(s, top);
  for (int w = 0; w < MW; w++)
    if ((!s.vol[w] && !s.volc) || bug[NOSYNC]) CollectLog(s, s.c[top], w);
  if (SWEEP) SweepFiles(s);
}

static void OtherWriters(const St& s) {
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
}

static void Rollback(const St& s) {
  if (ROLL && s.fo && !s.rolled && memcmp(&s.old, &s.t[0], sizeof(Tab)) != 0) {
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

void Environment(const St& s) {
  CrashesAndStarts(s);
  LateRecordsAndSeals(s);
  PowerLoss(s);
  LateClaim(s);
  Collect(s);
  OtherWriters(s);
  Rollback(s);
}
