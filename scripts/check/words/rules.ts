/** A phrase that this project's prose does not use; CONTRIBUTING.md lists them. */
export interface WordRule {
  /** The phrase as the word list shows it. */
  readonly avoid: string;
  /** What to write in its place. */
  readonly use: string;
  /** A regular expression of the phrase in each of its forms; it matches whole words only. */
  readonly pattern: string;
}

export const wordRules: readonly WordRule[] = [
  { avoid: "answer", use: "response; *respond*, *return*, *reply*", pattern: "(?:un)?answer(?:s|ed|ing)?" },
  { avoid: "film", use: "video", pattern: "film(?:s|ed)?" },
  { avoid: "picture", use: "image", pattern: "pictures?" },
  { avoid: "sound", use: "audio", pattern: "sounds?" },
  { avoid: "bury, buried", use: "dead-letter, dead-lettered", pattern: "(?:un)?bur(?:y|ies|ied|ial)" },
  { avoid: "told, tells", use: "reported, notified; *reports*, *lists*, *shows*", pattern: "told|tells" },
  { avoid: "rests (is idle)", use: "is paused, is idle, cools down", pattern: "rests" },
  {
    avoid: "what is no ..., what is not ...",
    use: "anything that is not ...",
    pattern: "what (?:is|was|are) (?:no|not)",
  },
  { avoid: "nobody", use: "the actor: *no client*, *no process*", pattern: "nobody" },
  { avoid: "there is nothing", use: "not found; *no ... exists*", pattern: "there (?:is|was) nothing" },
  { avoid: "says that it ...", use: "reports ...", pattern: "sa(?:y|ys|id) that (?:it|they)" },
  { avoid: "is well", use: "is healthy", pattern: "(?:is|are|was|were) well(?=$|[.,;:)])" },
  { avoid: "feel", use: "be affected, notice", pattern: "feels?|felt" },
  { avoid: "hear", use: "receive", pattern: "hears?|heard" },
  { avoid: "said", use: "stated, documented, reported", pattern: "said" },
  { avoid: "speak a protocol", use: "support, implement", pattern: "speaks?|spoken to" },
  { avoid: "house", use: "package, service, process", pattern: "houses?" },
  { avoid: "mend", use: "fix, repair", pattern: "mend(?:s|ed|ing)?" },
  { avoid: "by itself", use: "automatically; *on its own*", pattern: "by (?:itself|themselves)" },
  { avoid: "whoever", use: "any client that, the operator", pattern: "whoever" },
  { avoid: "lies (is stored)", use: "is stored, is idle", pattern: "lies|lie (?:idle|in|on|there)" },
  {
    avoid: "stands in",
    use: "is in, is defined in",
    pattern: "stands? (?:in|at|on|there|beside|behind|under|for)|stood",
  },
  { avoid: "makes up", use: "generates", pattern: "makes? up|made up" },
  { avoid: "without a word", use: "silently", pattern: "without a word" },
  { avoid: "besides (as an adverb)", use: "also, in addition", pattern: "besides" },
  { avoid: "breaks off", use: "is interrupted, ends early", pattern: "br(?:eak|eaks|oken|oke|eaking) off" },
  { avoid: "goes on", use: "continues", pattern: "go(?:es)? on|went on" },
  {
    avoid: "a client that leaves",
    use: "a client that disconnects",
    pattern: "clients? (?:that |who )?(?:leaves?|left|hangs up|hung up)",
  },
  { avoid: "let pass, let through", use: "accept", pattern: "lets? (?:pass|through)" },
  { avoid: "tells the rest", use: "lists the options", pattern: "tells? the rest" },
  { avoid: "dear (costly)", use: "expensive", pattern: "dear(?:er|est)?" },
  { avoid: "in one piece", use: "not streamed, as a whole", pattern: "in one piece" },
  { avoid: "for good", use: "permanently", pattern: "for good(?=$|[.,;:)])" },
  { avoid: "in vain", use: "without success; *gave up*", pattern: "in vain" },
];
