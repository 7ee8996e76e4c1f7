// House rules that oxlint has no rule for. Which files each one holds for stands in .oxlintrc.json.

const isMember = (node, object, property) =>
  node.type === 'MemberExpression' &&
  node.object.type === 'Identifier' &&
  node.object.name === object &&
  (node.computed ? node.property.value : node.property.name) === property

/** A rule made of one visitor, whose only finding is `message`. */
const rule = (message, visitors) => ({
  create(context) {
    const report = (node) => context.report({ node, message })
    return visitors(report)
  },
})

const settings = rule(
  'Take settings from the parsed config (packages/server/src/config.ts is the only reader of process.env); ' +
    'on the command line use the `env` of a commander option.',
  (report) => ({
    MemberExpression(node) {
      if (isMember(node, 'process', 'env')) report(node)
    },
    ImportSpecifier(node) {
      if (node.imported.name === 'env' && /^(node:)?process$/.test(node.parent.source.value)) report(node)
    },
  }),
)

const clock = rule(
  'Take the time from the clock that the context carries (kernel/clock.ts): tests set it. `new Date(value)` is fine.',
  (report) => ({
    CallExpression(node) {
      if (isMember(node.callee, 'Date', 'now')) report(node)
    },
    NewExpression(node) {
      if (node.callee.type === 'Identifier' && node.callee.name === 'Date' && node.arguments.length === 0) report(node)
    },
  }),
)

const ids = rule(
  'Make ids and random values with kernel/ids.ts: ids sort by time, and tests can seed them.',
  (report) => ({
    MemberExpression(node) {
      if (isMember(node, 'Math', 'random') || isMember(node, 'crypto', 'randomUUID')) report(node)
    },
    ImportSpecifier(node) {
      if (node.imported.name === 'randomUUID') report(node)
    },
  }),
)

// Express has a body parser and the language a template tag of the same name.
const innocent = new Set(['express', 'String'])
const rawSql = rule(
  'Write this with the query builder or, in a store.ts, as sql`…` (db/template.ts): Knex takes SQL text in db/ alone.',
  (report) => ({
    CallExpression(node) {
      const { callee } = node
      if (callee.type !== 'MemberExpression' || callee.computed) return
      if (!/^raw$|Raw$/.test(callee.property.name)) return
      if (callee.object.type === 'Identifier' && innocent.has(callee.object.name)) return
      report(node)
    },
  }),
)

const sqlTemplate = rule(
  'SQL text stays in db/ and in store.ts: write this with the query builder or db/expressions.ts, or move it to ' +
    'the store.ts of its room.',
  (report) => ({
    TaggedTemplateExpression(node) {
      if (nameOf(node.tag) === 'sql') report(node)
    },
  }),
)

const untilInstead =
  'wait for a condition with until() (tests/harness/until.ts), turn a clock that the test holds, or move the test to ' +
  'the long ones (docs/decisions/0141).'

const measuredTime = rule(`No verdict by the clock: ${untilInstead}`, (report) => ({
  CallExpression({ callee }) {
    const isClock = isMember(callee, 'Date', 'now') || isMember(callee, 'performance', 'now')
    if (isClock || isMember(callee, 'process', 'cpuUsage') || isMember(callee, 'process', 'hrtime')) report(callee)
  },
}))

const fixedSleep = rule(`No sleep of fixed length: ${untilInstead}`, (report) => ({
  CallExpression({ callee }) {
    if (callee.type === 'Identifier' && /^(sleep|setTimeout|setInterval)$/.test(callee.name)) report(callee)
  },
}))

const chance = rule(
  'No chance in the gate: draw from Random (tests/harness/random.ts) with a seed of the test.',
  (report) => ({
    MemberExpression(node) {
      if (isMember(node, 'Math', 'random')) report(node)
    },
  }),
)

/** Calls whose result is handled already, or is no promise that can fail unheard. */
const keeps = new Set(['handled', 'promised', 'once', 'resolve', 'catch', 'finally'])

const nameOf = (node) => {
  if (node?.type === 'Identifier') return node.name
  if (node?.type === 'MemberExpression' && !node.computed) return node.property.name
  return undefined
}

/** The names behind `await`, or in the list of a `Promise.all`: things that were made before. */
const awaitedNames = (node) => {
  if (node.type !== 'CallExpression') return [nameOf(node)]
  if (!['all', 'race', 'any', 'allSettled'].some((method) => isMember(node.callee, 'Promise', method))) return []
  const [list] = node.arguments
  return list?.type === 'ArrayExpression' ? list.elements.map((element) => nameOf(element)) : [nameOf(list)]
}

const storedPromise = {
  create(context) {
    const awaited = new Set()
    const stored = []
    const store = (name, value) => {
      if (name === undefined || value?.type !== 'CallExpression' || keeps.has(nameOf(value.callee))) return
      stored.push({ name, value })
    }
    return {
      VariableDeclarator: ({ id, init }) => store(nameOf(id), init),
      AssignmentExpression: ({ left, right }) => store(nameOf(left), right),
      PropertyDefinition: ({ key, value }) => store(key.name, value),
      Property: ({ key, value, parent }) => parent.type === 'ObjectExpression' && store(nameOf(key), value),
      AwaitExpression({ argument }) {
        for (const name of awaitedNames(argument)) if (name !== undefined) awaited.add(name)
      },
      'Program:exit'() {
        for (const { name, value } of stored)
          if (awaited.has(name)) context.report({ node: value, message: storedMessage })
      },
    }
  },
}

const storedMessage =
  'This promise is stored and awaited later. Should it fail before that, the process ends: wrap it in ' +
  'handled() (lib/promises.ts), or await it here.'

/** Things that can only be meant to be changed, wherever they are. */
const memories = new Set(['LRUCache', 'WeakMap', 'WeakSet'])
const changing = new Set([
  'add',
  'clear',
  'delete',
  'fill',
  'pop',
  'push',
  'reverse',
  'set',
  'shift',
  'sort',
  'splice',
  'unshift',
])

const moduleState = {
  create(context) {
    const declared = new Set()
    const changed = []
    let functions = 0
    const enter = () => void functions++
    const leave = () => void functions--
    const note = (name, node) => functions > 0 && name !== undefined && changed.push({ name, node })
    const report = (node) => context.report({ node, message: stateMessage })
    return {
      FunctionDeclaration: enter,
      'FunctionDeclaration:exit': leave,
      FunctionExpression: enter,
      'FunctionExpression:exit': leave,
      ArrowFunctionExpression: enter,
      'ArrowFunctionExpression:exit': leave,
      VariableDeclaration(node) {
        if (functions > 0) return
        for (const { id, init } of node.declarations) {
          if (node.kind === 'let' || (init?.type === 'NewExpression' && memories.has(nameOf(init.callee)))) report(node)
          else if (id.type === 'Identifier') declared.add(id.name)
        }
      },
      PropertyDefinition(node) {
        if (node.static && node.value?.type === 'NewExpression') report(node)
      },
      CallExpression({ callee }) {
        if (callee.type === 'MemberExpression' && changing.has(nameOf(callee)) && callee.object.type === 'Identifier')
          note(callee.object.name, callee)
      },
      AssignmentExpression({ left }) {
        // A regular expression is told where to begin each time before it is used.
        if (left.type === 'MemberExpression' && left.object.type === 'Identifier' && nameOf(left) !== 'lastIndex')
          note(left.object.name, left)
      },
      'Program:exit'() {
        for (const { name, node } of changed) if (declared.has(name)) report(node)
      },
    }
  },
}

const stateMessage =
  'What a module remembers is shared by all apps of a process, which may have different databases: declare a ' +
  'Cache (lib/caches.ts), which each app makes for itself, or compute it with derived().'

/** Patterns of constants are made when a module is loaded; those inside of functions are made of values. */
const untrustedPattern = {
  create(context) {
    let functions = 0
    const enter = () => void functions++
    const leave = () => void functions--
    return {
      FunctionDeclaration: enter,
      'FunctionDeclaration:exit': leave,
      FunctionExpression: enter,
      'FunctionExpression:exit': leave,
      ArrowFunctionExpression: enter,
      'ArrowFunctionExpression:exit': leave,
      NewExpression(node) {
        const [pattern] = node.arguments
        if (functions > 0 && nameOf(node.callee) === 'RegExp' && pattern?.type !== 'Literal')
          context.report({ node, message: untrustedMessage })
      },
      CallExpression(node) {
        if (nameOf(node.callee) === 'fromJSONSchema') context.report({ node, message: untrustedMessage })
      },
    }
  },
}

const untrustedMessage =
  'A pattern or schema that comes from a value can hold up the server: compile it in a task of the pool (a ' +
  '`*.task.ts` file), or with RE2 (modules/fields/pattern.ts). A pattern of constants belongs at the top of its ' +
  'module. Exceptions are in .oxlintrc.json, with their bounds (docs/decisions/0260).'

const participle = /(?:Asked|Given|Named|Told|Wanted)$/

const typeNames = rule(
  'A type is a noun that says what it is of: `CreateInput`, `Recipient`, `NotificationFilter`.',
  (report) => {
    const check = ({ id }) => {
      if (participle.test(id.name)) report(id)
    }
    return { TSTypeAliasDeclaration: check, TSInterfaceDeclaration: check }
  },
)

const docstrings = {
  create(context) {
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments())
          if (/^\*[\s*]*(?:How|What|Whatever|Who|Whoever|Whether)\b/.test(comment.value))
            context.report({ node: comment, message: docstringMessage })
      },
    }
  },
}

const docstringMessage =
  'A docstring starts with a verb in the third person ("Returns whether …"), or with a noun ("The recipients of …"), ' +
  'that of a member with what it is ("True if …").'

export default {
  meta: { name: 'kontor' },
  rules: {
    settings,
    clock,
    ids,
    'raw-sql': rawSql,
    'sql-template': sqlTemplate,
    'stored-promise': storedPromise,
    'module-state': moduleState,
    'untrusted-pattern': untrustedPattern,
    'type-names': typeNames,
    docstrings,
    'measured-time': measuredTime,
    'fixed-sleep': fixedSleep,
    chance,
  },
}
