// Ordinal probit, thresholds "shifted": the smallest hierarchical member of card.md.
//
//   P(rating <= k) = Phi(c[k] + severity[a] - z),   z = quality[s] - difficulty[i]
//
// a annotator, s system, i item, k category.

functions {
  // log(Phi(high) - Phi(low)). In the upper half the two upper tails are subtracted:
  // there both CDFs are close to one, and their difference would lose its digits.
  real log_probability_between(real low, real high) {
    if (low > 0) {
      return log_diff_exp(std_normal_lcdf(-low | ), std_normal_lcdf(-high | ));
    }
    return log_diff_exp(std_normal_lcdf(high | ), std_normal_lcdf(low | ));
  }

  // log probability of category k: a normal variable with the given location and
  // precision d (1 / sd) falls between thresholds k - 1 and k.
  real log_category_probability(int k, vector thresholds, real location, real d) {
    int n_categories = size(thresholds) + 1;
    if (k == 1) {
      return std_normal_lcdf(d * (thresholds[1] - location) | );
    }
    if (k == n_categories) {
      return std_normal_lcdf(-d * (thresholds[n_categories - 1] - location) | );
    }
    return log_probability_between(d * (thresholds[k - 1] - location),
                                   d * (thresholds[k] - location));
  }

  // Population thresholds whose category probabilities are Dirichlet(category_prior):
  // the Dirichlet density at the probabilities, times the Jacobian of the map from
  // thresholds to cumulative probabilities, which is phi at each threshold.
  real induced_dirichlet_lpdf(vector thresholds, vector category_prior) {
    int n_categories = size(category_prior);
    real density = lgamma(sum(category_prior));
    for (k in 1:n_categories) {
      density += -lgamma(category_prior[k])
                 + (category_prior[k] - 1) * log_category_probability(k, thresholds, 0, 1);
    }
    for (k in 1:(n_categories - 1)) {
      density += std_normal_lpdf(thresholds[k] | );
    }
    return density;
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
  int<lower=2> n_categories;
  array[n_rows] int<lower=1, upper=n_systems> system;
  array[n_rows] int<lower=1, upper=n_annotators> annotator;
  array[n_rows] int<lower=1, upper=n_items> item;
  array[n_rows] int<lower=1, upper=n_categories> rating;
  array[n_rows] int<lower=1> count; // how many judgements the row stands for

  vector<lower=0>[n_categories] category_prior;
  real<lower=0> quality_sd_scale;
  real<lower=0> difficulty_sd_scale;
  real<lower=0> severity_sd_scale;
}

parameters {
  real<lower=0> quality_sd;
  sum_to_zero_vector[n_systems] quality;
  real<lower=0> difficulty_sd;
  vector[n_items] difficulty;
  ordered[n_categories - 1] population_thresholds;
  real<lower=0> severity_sd;
  vector[n_annotators] severity;
}

transformed parameters {
  // log probability of one judgement of the row
  vector[n_rows] log_lik;
  for (n in 1:n_rows) {
    real z = quality[system[n]] - difficulty[item[n]];
    log_lik[n] = log_category_probability(rating[n],
                                          population_thresholds + severity[annotator[n]], z, 1);
  }
}

model {
  target += half_normal_lpdf(quality_sd | quality_sd_scale);
  target += zero_sum_normal_lpdf(quality | quality_sd);

  target += half_normal_lpdf(difficulty_sd | difficulty_sd_scale);
  for (i in 1:n_items) {
    target += normal_lpdf(difficulty[i] | 0, difficulty_sd);
  }

  target += induced_dirichlet_lpdf(population_thresholds | category_prior);
  target += half_normal_lpdf(severity_sd | severity_sd_scale);
  for (a in 1:n_annotators) {
    target += normal_lpdf(severity[a] | 0, severity_sd);
  }

  for (n in 1:n_rows) {
    target += count[n] * log_lik[n];
  }
}
