declare const BENCH: boolean; // whether the bundle is one for benches; see build.mjs
