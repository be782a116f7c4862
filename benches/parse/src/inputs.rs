//! What is read: the files named on the command line, or scrapes made here.

/// Names and texts.
pub fn inputs() -> Vec<(String, String)> {
    let named = std::env::args().skip(1);
    let mut inputs: Vec<(String, String)> =
        named.filter_map(|path| std::fs::read_to_string(&path).ok().map(|text| (path, text))).collect();
    if inputs.is_empty() {
        inputs.push(("a made scrape of many services".to_owned(), scrape(60, 60, 300, 40)));
        inputs.push(("a made scrape of one server".to_owned(), scrape(20, 4, 40, 10)));
    }
    inputs
}

/// A scrape: histograms of 15 buckets over many label sets, then gauges with long labels.
fn scrape(histograms: usize, sets: usize, gauges: usize, pods: usize) -> String {
    const BOUNDS: [&str; 15] = [
        "0.001", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1.0", "2.5", "5.0", "10.0", "30.0", "60.0",
        "+Inf",
    ];
    // Any generator will do, as long as it is the same one each time.
    let mut state = 7_u64;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut text = String::new();
    let mut line = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    for histogram in 0..histograms {
        let name = format!("service_{histogram}_request_duration_seconds");
        line(format!("# HELP {name} How long requests to service {histogram} took, in seconds."));
        line(format!("# TYPE {name} histogram"));
        for set in 0..sets {
            let labels = format!(
                "engine=\"{}\",model_name=\"organisation/Some-Model-{}B\",path=\"/v1/resource/{set}\",method=\"GET\",code=\"200\"",
                set % 4,
                set % 3 * 7 + 1,
            );
            let mut count = 0;
            for bound in BOUNDS {
                count += random(5000);
                let point = if set % 2 == 0 { ".0" } else { "" };
                line(format!("{name}_bucket{{{labels},le=\"{bound}\"}} {count}{point}"));
            }
            line(format!("{name}_count{{{labels}}} {count}"));
            line(format!("{name}_sum{{{labels}}} {:?}", count as f64 * random(1 << 40) as f64 / 1e12));
        }
    }
    for gauge in 0..gauges {
        line(format!("# HELP pod_fact_{gauge} Something about a pod."));
        line(format!("# TYPE pod_fact_{gauge} gauge"));
        for pod in 0..pods {
            let value = match random(6) {
                0 => "1".to_owned(),
                1 => "0".to_owned(),
                2 => format!("{:?}", random(1 << 50) as f64 / 1e9),
                3 => format!("{:.6e}", random(1 << 40) as f64).replace('e', "e+"),
                4 => "NaN".to_owned(),
                _ => "+Inf".to_owned(),
            };
            line(format!(
                "pod_fact_{gauge}{{namespace=\"ns-{}\",pod=\"deploy-{gauge}-{pod:05}-{:09}\",uid=\"{:012x}\",node=\"node-{}.cluster.local\"}} {value}",
                pod % 7,
                random(1_000_000_000),
                random(1 << 30),
                pod % 30,
            ));
        }
    }
    text
}
