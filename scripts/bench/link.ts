/**
 * node scripts/bench/link.ts: what the link costs at both ends. It lives beside the link, whose
 * packages it needs.
 */
import "../../services/link/test/bench.ts";
