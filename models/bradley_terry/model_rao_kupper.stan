// Bradley-Terry with Rao and Kupper's ties: a program of card.md.
//
//   P(a wins) = F(e - t), P(b wins) = F(-e - t), otherwise a tie; F logistic, t = tie_propensity
//   e = exp(log_consistency[r]) * (quality[a] - quality[b] + interaction[a, i] - interaction[b, i])
//
// a, b systems, r annotator, i item; the order of presentation plays no part.

functions {
  // 1: a wins, 2: b wins, 3: they tie. A tie is what is left between thresholds, mirrored so that
  // both logistic CDFs are in the lower tail.
  real log_rao_kupper(int outcome, real e, real threshold) {
    if (outcome == 1) {
      return log_inv_logit(e - threshold);
    }
    if (outcome == 2) {
      return log_inv_logit(-e - threshold);
    }
    return log_diff_exp(log_inv_logit(threshold - abs(e)), log_inv_logit(-threshold - abs(e)));
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
  int<lower=1> n_items;
  array[n_rows] int<lower=1, upper=n_systems> system_a; // shown first
  array[n_rows] int<lower=1, upper=n_systems> system_b;
  array[n_rows] int<lower=1, upper=n_annotators> annotator;
  array[n_rows] int<lower=1, upper=n_items> item;
  array[n_rows] int<lower=1, upper=3> outcome; // a wins, b wins, tie
  array[n_rows] int<lower=1> count; // how many judgements the row stands for


  real<lower=0> quality_sd_scale;
  real<lower=0> interaction_sd_scale;
  real<lower=0> log_consistency_sd_scale;
  real<lower=0> tie_threshold_scale;
}

parameters {
  real<lower=0> quality_sd;
  sum_to_zero_vector[n_systems] quality;
  real<lower=0> interaction_sd;
  matrix[n_systems, n_items] interaction;
  real<lower=0> log_consistency_sd;
  sum_to_zero_vector[n_annotators] log_consistency;
  real<lower=0> tie_propensity;
}

transformed parameters {
  // log probability of one judgement of the row
  vector[n_rows] log_lik;
  for (n in 1:n_rows) {
    int a = system_a[n];
    int b = system_b[n];
    int i = item[n];
    real difference = quality[a] - quality[b] + interaction[a, i] - interaction[b, i];
    real e = exp(log_consistency[annotator[n]]) * difference;
    log_lik[n] = log_rao_kupper(outcome[n], e, tie_propensity);
  }
}

model {
  target += half_normal_lpdf(quality_sd | quality_sd_scale);
  target += zero_sum_normal_lpdf(quality | quality_sd);
  target += half_normal_lpdf(interaction_sd | interaction_sd_scale);
  for (i in 1:n_items) {
    for (s in 1:n_systems) {
      target += normal_lpdf(interaction[s, i] | 0, interaction_sd);
    }
  }
  target += half_normal_lpdf(log_consistency_sd | log_consistency_sd_scale);
  target += zero_sum_normal_lpdf(log_consistency | log_consistency_sd);
  target += half_normal_lpdf(tie_propensity | tie_threshold_scale);

  for (n in 1:n_rows) {
    target += count[n] * log_lik[n];
  }
}
