// Sets the sandbox up before the code of a user is there. It is read as text and runs inside, so it has nothing but the
// language. Values cross the border as JSON texts and numbers.

// Taken before the code of a user can change them. If it changes others, it harms itself alone.
const { stringify, parse } = JSON
const { assign, defineProperty, entries } = Object

/** Mulberry32: the same numbers in each attempt at a step. */
function seededRandom(first) {
  let seed = first
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function show(value) {
  if (typeof value === 'string') return value
  if (value instanceof Error) return `${value.name}: ${value.message}`
  try {
    return stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}

const short = (value, max) => `${value}`.slice(0, max)

function createConsole(host, { logLinesMax, logLineMax }) {
  let lines = 0
  const writing =
    (prefix) =>
    (...values) => {
      if (lines > logLinesMax) return
      const isLast = lines++ === logLinesMax
      host.line(isLast ? '…' : `${prefix}${values.map(show).join(' ')}`.slice(0, logLineMax))
    }
  const log = writing('')
  return { log, info: log, debug: log, warn: writing('warn: '), error: writing('error: ') }
}

/** The calls that leave the sandbox, each a promise until the answer comes. */
class Calls {
  #host
  #callsMax
  #made = 0
  #waiting = new Map()
  #ids = new WeakMap()

  constructor(host, { callsMax }) {
    this.#host = host
    this.#callsMax = callsMax
  }

  make(name, args) {
    return new Promise((resolve, reject) => {
      if (this.#made >= this.#callsMax) throw new Error(`A program makes at most ${this.#callsMax} calls.`)
      const id = this.#made++
      this.#waiting.set(id, { resolve, reject })
      this.#host.call(id, name, stringify(args))
    })
  }

  settle(id, isOk, text) {
    const { resolve, reject } = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (isOk) resolve(parse(text))
    else {
      const { message, ...facts } = parse(text)
      const error = assign(new Error(message), facts)
      this.#ids.set(error, id)
      reject(error)
    }
  }

  describe(thrown) {
    if (!(thrown instanceof Error)) return { name: '', message: short(show(thrown), 2000), stack: '' }
    const { name, message, stack } = thrown
    const callId = this.#ids.get(thrown)
    return { name: short(name, 200), message: short(message, 2000), stack: short(stack, 4000), callId }
  }
}

const createClient = (calls) => ({
  resources: { list: (question) => calls.make('resources.list', [question]) },
  records: {
    get: (type, id) => calls.make('records.get', [type, id]),
    update: (type, id, attributes) => calls.make('records.update', [type, id, attributes]),
    createBulk: (type, items) => calls.make('records.createBulk', [type, items]),
  },
})

const createResponse = ({ status, headers, body }) => ({
  ok: status >= 200 && status < 300,
  status,
  headers: {
    get: (name) => headers[name.toLowerCase()] ?? null,
    has: (name) => name.toLowerCase() in headers,
    entries: () => entries(headers)[Symbol.iterator](),
  },
  text: async () => body,
  json: async () => parse(body),
})

function createContext(host, { trigger, keys }) {
  const blocks = {}
  for (const key of keys) {
    let result
    // Parsed when it is asked for: there may be much of them.
    const block = defineProperty({}, 'result', { enumerable: true, get: () => (result ??= parse(host.result(key))) })
    defineProperty(blocks, key, { enumerable: true, value: block })
  }
  return { trigger, blocks }
}

/**
 * Gives the sandbox its globals, and returns what the process around it steers the program with. `host` has
 * `call(id, name, args)`, `line(text)` and `result(key)`; `given` what the program is run with, and its limits.
 */
export function setUp(host, given) {
  const calls = new Calls(host, given)
  defineProperty(Math, 'random', { value: seededRandom(given.seed), writable: true, configurable: true })
  const fetch = async (url, init = {}) => createResponse(await calls.make('fetch', [`${url}`, init]))
  assign(globalThis, { console: createConsole(host, given), fetch })
  const tools = { client: createClient(calls), workflowContext: createContext(host, given) }
  /** JSON of how the handler ended; empty until it has. */
  let outcome = ''
  async function run(handler) {
    const output = stringify(await handler(given.input, { ...tools, _: globalThis._ })) ?? 'null'
    outcome = stringify(output.length > given.outputBytes ? { isTooLarge: true } : { output })
  }
  return {
    start: (handler) => void run(handler).catch((thrown) => (outcome = stringify({ thrown: calls.describe(thrown) }))),
    settle: (id, isOk, text) => calls.settle(id, isOk, text),
    outcome: () => outcome,
    describe: (thrown) => stringify(calls.describe(thrown)),
  }
}
