//! Whether several scrapes are of one server or of several.

use super::state::Scrapes;
use crate::metrics::window::{Order, StartChange};
use crate::metrics::{Dump, window_in_steps};
use crate::pace::Pace;

/// In seconds: no model server loads, serves, stops and is back sooner. Two that started closer together are two.
const SOONEST_RESTART: f64 = 60.0;

/// How several scrapes are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kinship {
    /// Of one server over time, restarted so often in between.
    OneServer {
        /// How often it restarted.
        restarts: usize,
    },
    /// The same model and engines, but values or start times that one server cannot have had.
    SeveralServers,
    /// Different models or engines.
    Strangers,
}

impl Kinship {
    /// Of scrapes in order of time. The same models and engines are one server unless values or starts say otherwise.
    pub async fn of(scrapes: &Scrapes, pace: &Pace) -> Self {
        let mut kin = Self::OneServer { restarts: 0 };
        let share = |place: usize| place as f64 / scrapes.len() as f64;
        for (place, ((_, one), (_, next))) in scrapes.iter().zip(scrapes.iter().skip(1)).enumerate() {
            kin = kin.and(Self::of_two(one, next, &pace.part(share(place), share(place + 1))).await);
        }
        kin
    }

    async fn of_two(before: &Dump, after: &Dump, pace: &Pace) -> Self {
        let of = |dump: &Dump| dump.sets.iter().map(|set| set.selection.clone()).collect::<Vec<_>>();
        if of(before) != of(after) || before.sets.is_empty() {
            return Self::Strangers;
        }
        let start = StartChange::of(before.started, after.started);
        let later = |from: Option<f64>, to: Option<f64>| Some(to? - from?);
        let too_soon = later(before.started, after.started).is_some_and(|seconds| seconds < SOONEST_RESTART);
        // The older process was still there after the newer one had started.
        let at_once = later(after.started, before.taken).is_some_and(|seconds| seconds > 0.0);
        if start == StartChange::Restarted && (too_soon || at_once) {
            return Self::SeveralServers;
        }
        let restarted = start == StartChange::Restarted;
        let timed = before.taken.is_some() && after.taken.is_some() && start == StartChange::Unknown;
        match window_in_steps(before, after, pace).await.order {
            // Some counters grew while others fell: without a later start that is another server's history.
            Order::Restarted if !restarted && !timed => Self::SeveralServers,
            Order::Restarted => Self::OneServer { restarts: 1 },
            Order::AsGiven | Order::Swapped | Order::Unclear => Self::OneServer { restarts: 0 },
        }
    }

    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::OneServer { restarts }, Self::OneServer { restarts: more }) => {
                Self::OneServer { restarts: restarts + more }
            }
            (Self::Strangers, _) | (_, Self::Strangers) => Self::Strangers,
            _ => Self::SeveralServers,
        }
    }

    /// What so many scrapes were taken for, so that a person can say otherwise.
    pub fn told(self, scrapes: usize, turned: bool) -> String {
        match self {
            Self::OneServer { restarts } => {
                let restarted = match restarts {
                    0 => String::new(),
                    1 => "; it restarted in between".to_owned(),
                    times => format!("; it restarted {times} times in between"),
                };
                let turned = if turned { "; put in order of time" } else { "" };
                format!("taken for {scrapes} scrapes of one server, by model and engine{restarted}{turned}")
            }
            Self::SeveralServers | Self::Strangers => {
                format!("taken for {scrapes} servers: one cannot have had these values and start times")
            }
        }
    }
}

/// Puts scrapes in order of time where all say when they were taken; else in order of their servers' start, and within
/// one process of what it had counted. Says whether that changed anything.
pub fn in_order_of_time(scrapes: &mut Scrapes) -> bool {
    let all_timed = scrapes.iter().all(|(_, dump)| dump.taken.is_some());
    let mut totals: Vec<f64> = scrapes.iter().map(|(_, dump)| observed(dump)).collect();
    let mut turned = false;
    // By insertion: mostly they are in order already, and starts that jitter are no order that a sort could rely on.
    for place in 1..scrapes.len() {
        for at in (1..=place).rev() {
            let ((_, one), (_, next)) = (&scrapes[at - 1], &scrapes[at]);
            let swapped = match StartChange::of(one.started, next.started) {
                _ if all_timed => next.taken < one.taken,
                StartChange::Earlier => true,
                StartChange::Same => totals[at] < totals[at - 1],
                StartChange::Restarted | StartChange::Unknown => false,
            };
            if !swapped {
                break;
            }
            scrapes.swap(at - 1, at);
            totals.swap(at - 1, at);
            turned = true;
        }
    }
    turned
}

/// All that its distributions hold: within one process it never falls.
fn observed(dump: &Dump) -> f64 {
    dump.sets.iter().flat_map(|set| set.histograms.values()).map(|latency| latency.histogram.total()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::read_dump;
    use crate::pace::Work;
    use crate::paste::prometheus::read;
    use std::sync::Arc;

    /// A scrape of a server that started then, with so many tokens of 20 ms and requests.
    fn scrape(start: &str, tokens: u32, requests: u32) -> (String, Arc<Dump>) {
        let (itl, ttft) = ("vllm:inter_token_latency_seconds", "vllm:time_to_first_token_seconds");
        let sum = f64::from(tokens) * 0.02;
        let text =
            format!("{start}{itl}_count {tokens}\n{itl}_sum {sum}\n{ttft}_count {requests}\n{ttft}_sum {requests}\n");
        (tokens.to_string(), Arc::new(read_dump(&read(&text))))
    }

    fn started(at: f64) -> String {
        format!("process_start_time_seconds {at}\n")
    }

    fn kin(mut scrapes: Scrapes) -> (Kinship, Vec<String>) {
        in_order_of_time(&mut scrapes);
        let kin = Work::new(|pace| {
            let scrapes = &scrapes;
            async move { Kinship::of(scrapes, &pace).await }
        });
        (kin.finish(), scrapes.iter().map(|(name, _)| name.clone()).collect())
    }

    #[test]
    fn a_later_start_is_a_restart_whichever_comes_first() {
        let one = Kinship::OneServer { restarts: 1 };
        let scrapes = || [scrape(&started(1.7e9), 900, 90), scrape(&started(1.7e9 + 1e5), 100, 10)];
        let [before, after] = scrapes();
        assert_eq!(kin(vec![before, after]), (one, vec!["900".to_owned(), "100".to_owned()]));
        let [before, after] = scrapes();
        assert_eq!(kin(vec![after, before]), (one, vec!["900".to_owned(), "100".to_owned()]));
    }

    #[test]
    fn within_one_process_the_lesser_came_first() {
        let same = Kinship::OneServer { restarts: 0 };
        let scrapes = vec![scrape(&started(1.7e9), 900, 90), scrape(&started(1.7e9 + 1.0), 100, 10)];
        assert_eq!(kin(scrapes), (same, vec!["100".to_owned(), "900".to_owned()]));
        // Nothing says when they started: as given.
        assert_eq!(
            kin(vec![scrape("", 900, 90), scrape("", 100, 10)]),
            (same, vec!["900".to_owned(), "100".to_owned()])
        );
    }

    #[test]
    fn what_one_server_cannot_have_done_was_done_by_several() {
        // More tokens of fewer requests.
        assert_eq!(kin(vec![scrape("", 100, 90), scrape("", 900, 10)]).0, Kinship::SeveralServers);
        // Replicas of one deployment, started within a minute.
        let replicas = vec![scrape(&started(1.7e9), 100, 10), scrape(&started(1.7e9 + 20.0), 900, 90)];
        assert_eq!(kin(replicas).0, Kinship::SeveralServers);
    }
}
