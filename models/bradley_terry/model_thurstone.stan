// Thurstone with ties, a moderator and rankings: a program of card.md.
//
//   P(a wins) = Phi(e - t), P(b wins) = Phi(-e - t), otherwise a tie; t = tie_propensity
//   e = exp(log_consistency[r]) * (quality[a] - quality[b] + deviation[m, a] - deviation[m, b]
//                                  + position_effect + position[r])
//
// a, b systems in the order of presentation, r annotator, m level of the moderator. Comparisons of
// one ranking count for less than one judgement each: count holds that weight.

functions {
  // 1: a wins, 2: b wins, 3: they tie. A tie is what is left between thresholds, mirrored so that
  // both normal CDFs are in the lower tail.
  real log_thurstone(int outcome, real e, real threshold) {
    if (outcome == 1) {
      return std_normal_lcdf(e - threshold | );
    }
    if (outcome == 2) {
      return std_normal_lcdf(-e - threshold | );
    }
    return log_diff_exp(std_normal_lcdf(threshold - abs(e) | ),
                        std_normal_lcdf(-threshold - abs(e) | ));
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
  int<lower=1> n_levels;
  array[n_rows] int<lower=1, upper=n_systems> system_a; // shown first
  array[n_rows] int<lower=1, upper=n_systems> system_b;
  array[n_rows] int<lower=1, upper=n_annotators> annotator;
  array[n_rows] int<lower=1, upper=n_levels> level;
  array[n_rows] int<lower=1, upper=3> outcome; // a wins, b wins, tie
  vector<lower=0>[n_rows] count; // how many judgements the row counts for


  real<lower=0> quality_sd_scale;
  real<lower=0> deviation_sd_scale;
  real<lower=0> log_consistency_sd_scale;
  real<lower=0> position_sd_scale;
  real<lower=0> position_effect_scale;
  real<lower=0> tie_threshold_scale;
}

parameters {
  real<lower=0> quality_sd;
  sum_to_zero_vector[n_systems] quality;
  real<lower=0> deviation_sd;
  array[n_levels] sum_to_zero_vector[n_systems] deviation;
  real<lower=0> log_consistency_sd;
  sum_to_zero_vector[n_annotators] log_consistency;
  real<lower=0> position_sd;
  vector[n_annotators] position;
  real position_effect;
  real<lower=0> tie_propensity;
}

transformed parameters {
  // log probability of one judgement of the row
  vector[n_rows] log_lik;
  for (n in 1:n_rows) {
    int a = system_a[n];
    int b = system_b[n];
    int r = annotator[n];
    int m = level[n];
    real difference = quality[a] - quality[b] + deviation[m][a] - deviation[m][b];
    real e = exp(log_consistency[r]) * (difference + position_effect + position[r]);
    log_lik[n] = log_thurstone(outcome[n], e, tie_propensity);
  }
}

model {
  target += half_normal_lpdf(quality_sd | quality_sd_scale);
  target += zero_sum_normal_lpdf(quality | quality_sd);
  target += half_normal_lpdf(deviation_sd | deviation_sd_scale);
  for (m in 1:n_levels) {
    target += zero_sum_normal_lpdf(deviation[m] | deviation_sd);
  }
  target += half_normal_lpdf(log_consistency_sd | log_consistency_sd_scale);
  target += zero_sum_normal_lpdf(log_consistency | log_consistency_sd);
  target += half_normal_lpdf(position_sd | position_sd_scale);
  for (r in 1:n_annotators) {
    target += normal_lpdf(position[r] | 0, position_sd);
  }
  target += normal_lpdf(position_effect | 0, position_effect_scale);
  target += half_normal_lpdf(tie_propensity | tie_threshold_scale);

  for (n in 1:n_rows) {
    target += count[n] * log_lik[n];
  }
}
