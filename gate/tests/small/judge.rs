//! Judges kernels by a small file: prints its inputs, and then `pass` or `fail` for each line of results.

mod small;

fn main() {
    let inputs: Vec<String> = small::INPUT.iter().map(|code| code.to_string()).collect();
    println!("{}", inputs.join(" "));
    assert!((0..small::INPUT.len()).all(|at| small::is_right(at, small::EXPECTED[at])));
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let mut got = line.split(' ').enumerate();
        let right = got.all(|(at, got)| small::is_right(at, got.parse().unwrap()));
        println!("{}", if right { "pass" } else { "fail" });
    }
}
