# What the R scripts share: arguments, stages, a brms fit by stage, and the answer.

entered <- as.numeric(Sys.time())
last <- entered
stages <- list()

end_stage <- function(stage) {
  now <- as.numeric(Sys.time())
  stages[[stage]] <<- now - last
  last <<- now
}

arguments <- commandArgs(trailingOnly = TRUE)
data_file <- arguments[1]
answer_file <- arguments[2]
numbers <- as.integer(arguments[3:7])
names(numbers) <- c("draws", "tune", "chains", "cores", "seed")

suppressPackageStartupMessages(library(brms))
# Debian keeps Boost with the system's headers, where rstan does not look.
if (!nzchar(system.file("include", package = "BH"))) {
  rstan::rstan_options(boost_lib = "/usr/include")
}
end_stage("import")

# Compile first, with no chain, so that compiling is told from sampling.
fit_by_stage <- function(formula, data, family, prior, stanvars = NULL, control = NULL,
                         init = NULL) {
  empty <- brm(
    formula, data, family, prior = prior, stanvars = stanvars, chains = 0, refresh = 0,
    silent = 2
  )
  end_stage("compile")
  fit <- update(
    empty, recompile = FALSE, chains = numbers[["chains"]], cores = numbers[["cores"]],
    iter = numbers[["tune"]] + numbers[["draws"]], warmup = numbers[["tune"]],
    seed = numbers[["seed"]], refresh = 0, control = control, init = init
  )
  end_stage("sample")
  fit
}

# Draws of a group's effects: a data frame with one column a label, chain after chain.
effects_of <- function(fit, group, nlpar = NULL) {
  variable <- if (is.null(nlpar)) paste0("r_", group) else paste0("r_", group, "__", nlpar)
  draws <- as.data.frame(posterior::as_draws_df(fit))
  draws[grep(paste0("^", variable, "\\["), names(draws), value = TRUE)]
}

# Print the ranking, write the draws of the systems' scores, and tell the seconds. A factor by draw
# puts scores on the scale of the other programs.
answer <- function(fit, scores, factor = 1) {
  columns <- names(scores)
  systems <- sub(",Intercept\\]$", "", sub("^[^[]*\\[", "", columns))
  # brms writes a blank in a label as a point.
  systems <- gsub("\\.", " ", systems)
  names(scores) <- systems
  scores <- (scores - rowMeans(scores)) * factor
  ranks <- colMeans(t(apply(-scores, 1, rank)))
  for (system in names(sort(ranks))) cat(sprintf("%6.2f %s\n", ranks[[system]], system))
  end_stage("rank and print")

  write.csv(scores, answer_file, row.names = FALSE)
  parameters <- nuts_params(fit)
  divergent <- parameters$Value[parameters$Parameter == "divergent__"]
  # What the chains took by themselves, without starting their processes.
  elapsed <- sum(rstan::get_elapsed_time(fit$fit))
  workers <- min(numbers[["chains"]], numbers[["cores"]])
  cat(jsonlite::toJSON(list(
    entered = entered, done = last, stages = stages, sampling = elapsed / workers,
    divergences = sum(divergent)
  ), auto_unbox = TRUE, digits = NA), "\n", sep = "")
}
