// Bradley-Terry with Davidson's ties: the standard program of card.md.
//
//   P(a wins) : P(b wins) : P(tie) = exp(e / 2) : exp(-e / 2) : exp(log_tie_propensity)
//   e = quality[a] - quality[b] + position_effect + taste[a, r] - taste[b, r]
//
// a, b systems in the order of presentation, r annotator. Parameters are centred, densities are
// normalised, prior scales come in as data.

functions {
  // 1: a wins, 2: b wins, 3: they tie. Three odds that are made to sum to one.
  real log_davidson(int outcome, real e, real log_tie) {
    vector[3] log_odds = [e / 2, -e / 2, log_tie]';
    return log_odds[outcome] - log_sum_exp(log_odds);
  }

  // A normal vector conditioned to sum to zero. It has one dimension less than it has
  // elements, hence the one normalising factor taken back.
  real zero_sum_normal_lpdf(vector x, real sd) {
    real density = -normal_lpdf(0 | 0, sd);
    for (s in 1:size(x)) {
      density += normal_lpdf(x[s] | 0, sd);
    }
    return density;
  }

  real half_normal_lpdf(real x, real scale) {
    return normal_lpdf(x | 0, scale) + log(2);
  }
}

data {
  int<lower=1> n_rows;
  int<lower=1> n_systems;
  int<lower=1> n_annotators;
  array[n_rows] int<lower=1, upper=n_systems> system_a; // shown first
  array[n_rows] int<lower=1, upper=n_systems> system_b;
  array[n_rows] int<lower=1, upper=n_annotators> annotator;
  array[n_rows] int<lower=1, upper=3> outcome; // a wins, b wins, tie
  array[n_rows] int<lower=1> count; // how many judgements the row stands for


  real<lower=0> quality_sd_scale;
  real<lower=0> taste_sd_scale;
  real<lower=0> position_effect_scale;
  real log_tie_centre;
  real<lower=0> log_tie_scale;
}

parameters {
  real<lower=0> quality_sd;
  sum_to_zero_vector[n_systems] quality;
  real<lower=0> taste_sd;
  matrix[n_systems, n_annotators] taste;
  real position_effect;
  real log_tie_propensity;
}

transformed parameters {
  // log probability of one judgement of the row
  vector[n_rows] log_lik;
  for (n in 1:n_rows) {
    int a = system_a[n];
    int b = system_b[n];
    int r = annotator[n];
    real e = quality[a] - quality[b] + position_effect + taste[a, r] - taste[b, r];
    log_lik[n] = log_davidson(outcome[n], e, log_tie_propensity);
  }
}

model {
  target += half_normal_lpdf(quality_sd | quality_sd_scale);
  target += zero_sum_normal_lpdf(quality | quality_sd);
  target += half_normal_lpdf(taste_sd | taste_sd_scale);
  for (r in 1:n_annotators) {
    for (s in 1:n_systems) {
      target += normal_lpdf(taste[s, r] | 0, taste_sd);
    }
  }
  target += normal_lpdf(position_effect | 0, position_effect_scale);
  target += normal_lpdf(log_tie_propensity | log_tie_centre, log_tie_scale);

  for (n in 1:n_rows) {
    target += count[n] * log_lik[n];
  }
}
