// Who may import whom. Each comment is what a reader sees when the rule fails: it says what to do instead.
const server = '^packages/server/src'

// Modules from the ground up: each may import its own row and the rows before it, never the rows after it.
const moduleRows = [
  [
    'api',
    'counters',
    'events',
    'feeds',
    'workspaces',
    'identity/tokens',
    'identity/users',
    'identity/factors',
    'identity/providers',
    'identity/passkeys',
    'identity/sign-in',
    'identity/oauth',
    'identity/apps',
    'identity/api-keys',
    'identity/endings',
    'mail',
    'limits',
    'async-tasks',
    'files',
    'sql-grammar',
  ],
  ['schemas', 'settings', 'access', 'identity/acting'],
  ['fields'],
  ['objects'],
  ['indexes'],
  ['filters'],
  ['query'],
  ['records', 'resources', 'search', 'sql', 'templates'],
  [
    'relationships',
    'comments',
    'attachments',
    'layouts',
    'emails',
    'activities',
    'event-feed',
    'imports',
    'bundles',
    'exports',
    'lists',
    'meetings',
    'schema-changes',
    'descriptions',
    'requests',
    'reverting',
    'identity/members',
    'identity/invitations',
  ],
  ['plugins'],
  ['sandbox', 'language-models'],
  ['definitions'],
  ['notifications', 'webhooks', 'blocks', 'runs'],
  ['workflows'],
  ['campaigns', 'agents'],
]
const inModules = (names) => `${server}/modules/(${names.join('|')})/`
/** The folder of a module; those of identity stand together, each a module of its own. */
const aModule = '(identity/[^/]+|(?!identity/)[^/]+)'

const downhill = moduleRows.slice(0, -1).map((row, i) => ({
  name: `modules-go-downhill-${i + 1}`,
  comment:
    'A module may import only those of its own row and of the rows below it (moduleRows). Turn the dependency ' +
    'around: export a type here, and let app/ hand the implementation over.',
  from: { path: inModules(row) },
  to: { path: inModules(moduleRows.slice(i + 1).flat()) },
}))

/** Files that work on untrusted formats, which only tasks of the pool may import. */
const untrustedReaders = [
  `${server}/modules/emails/inbound/(?!take\\.ts|reading\\.ts|read\\.task\\.ts)[^/]+$`,
  `${server}/modules/emails/render/link-places\\.ts$`,
  `${server}/modules/meetings/calendar/(read\\.ts|reading/(?!version\\.ts)[^/]+)$`,
  `${server}/modules/imports/reading/`,
  `${server}/modules/sandbox/machine\\.ts$`,
]

const forbidden = [
  {
    name: 'no-cycles',
    comment: 'Two files need each other: move what both need into a third.',
    from: {},
    to: { circular: true },
  },
  {
    name: 'no-cycles-of-folders',
    comment: 'Two folders need each other: move what both need below them, or hand it in.',
    scope: 'folder',
    from: {},
    to: { circular: true },
  },
  {
    name: 'no-orphans',
    comment: 'No file imports this one and it imports none: delete it, or import it.',
    from: {
      orphan: true,
      pathNot: [
        '\\.config\\.ts$',
        '\\.test\\.ts$',
        '\\.d\\.ts$',
        '^(bench|examples)/',
        '^packages/docs/browser/',
        '/src/main\\.ts$',
        // Begins the packed command line, beside its bundle.
        '^packages/cli/entry\\.js$',
        // Read as text, by the process that runs it.
        '/sandbox/guest\\.js$',
        // Loaded by their address, in a process of the pool.
        '/pool/watch\\.ts$',
        '\\.task\\.ts$',
      ],
    },
    to: {},
  },
  {
    name: 'nothing-unresolved',
    comment: 'The import leads nowhere: check the path (with its .ts) and the package.json.',
    from: {},
    to: { couldNotResolve: true },
  },
  {
    name: 'dependencies-are-declared',
    comment: 'Name the package in the package.json of the package that imports it.',
    from: {},
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  },
  {
    name: 'no-dev-dependency-at-run-time',
    comment: 'Shipped code imports a dev dependency: move it to `dependencies`.',
    from: { path: '^packages/[^/]+/src', pathNot: '\\.test\\.ts$' },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: '/node_modules/@types/' },
  },

  {
    name: 'contract-is-a-leaf',
    comment: 'The contract imports zod and itself: everything else is derived from it elsewhere.',
    from: { path: '^packages/contract/src', pathNot: ['/(openapi|trpc)\\.ts$', '\\.test\\.ts$'] },
    to: { pathNot: ['^packages/contract/(src|package\\.json$)', '/node_modules/zod/'] },
  },
  {
    name: 'contract-generators',
    comment: 'openapi.ts may add @asteasolutions/zod-to-openapi, trpc.ts the types of @trpc/server; nothing more.',
    from: { path: '^packages/contract/src/(openapi|trpc)\\.ts$' },
    to: {
      pathNot: [
        '^packages/contract/src',
        '/node_modules/(zod|@asteasolutions/zod-to-openapi|@trpc/server|openapi3-ts)/',
      ],
    },
  },
  {
    name: 'docs-and-client-see-the-contract',
    comment:
      'docs, client and demo know the contract only, so that they can be built and published without the server.',
    from: { path: '^packages/(docs|client|demo)/' },
    to: { path: '^packages/', pathNot: ['^packages/contract/src', '^packages/$1/'] },
  },
  {
    name: 'cli-sees-contract-client-admin',
    comment:
      'The command line speaks over HTTP through the client. Administration opens the database, through ' +
      'server/src/admin/; `serve` is main.ts, its settings config.ts.',
    from: { path: '^packages/cli/' },
    to: {
      path: '^packages/',
      pathNot: ['^packages/(cli|contract|client)/', `${server}/(admin/admin|config|main|.*/documents)\\.ts$`],
    },
  },
  {
    name: 'cli-is-not-imported',
    comment: 'The command line is an end: move shared code down.',
    from: { pathNot: '^packages/cli/' },
    to: { path: '^packages/cli/' },
  },
  {
    name: 'examples-are-outsiders',
    comment: 'Examples are copied by users: they see what users see, the contract and the client.',
    from: { path: '^examples/' },
    to: { path: ['^packages/', '^tests/', '^bench/'], pathNot: '^packages/(contract|client)/' },
  },
  {
    name: 'tests-see-the-app',
    comment: 'Tests go over HTTP: they see app/app.ts, the contract, the client and the harness.',
    from: { path: '^tests/', pathNot: '^tests/(harness|db|engine)/' },
    to: { path: '^packages/', pathNot: ['^packages/(contract|client)/', `${server}/app/app\\.ts$`] },
  },
  {
    name: 'database-tests-see-db',
    comment:
      'tests/db holds what both databases promise to everything above them; it sees db/ and the stores of events, ' +
      'feeds and requests, and nothing else of the server.',
    from: { path: '^tests/db/' },
    to: { path: '^packages/', pathNot: `${server}/(db|modules/(events|feeds|requests))/` },
  },
  {
    name: 'engine-tests-see-the-engine',
    comment:
      'tests/engine holds what the engine promises to every kind of job and consumer of events; it sees engine/, db/ ' +
      'and modules/events, and nothing else of the server.',
    from: { path: '^tests/engine/' },
    to: { path: '^packages/', pathNot: `${server}/(engine|db|modules/events)/` },
  },
  {
    name: 'harness-and-bench-see-app-and-admin',
    comment:
      'The harness and the benchmarks start the app and set it up; they see app/app.ts, admin/admin.ts, the ' +
      'contract and the client.',
    from: { path: '^(tests/harness|bench)/' },
    to: { path: '^packages/', pathNot: ['^packages/(contract|client)/', `${server}/(app/app|admin/admin)\\.ts$`] },
  },
  {
    name: 'tests-are-not-imported',
    comment: 'Shipped code may not need a test.',
    from: { path: '^packages/' },
    to: { path: '^(tests|bench|examples)/' },
  },

  {
    name: 'kernel-is-pure',
    comment:
      'The kernel imports the contract, zod, lru-cache, node:, lib/, the interfaces of the database (db/tx.ts, ' +
      'db/executor.ts, db/errors.ts), the kinds of columns and that of the pool (pool/task.ts). Hand in what it needs.',
    from: { path: `${server}/kernel/`, pathNot: '\\.test\\.ts$' },
    to: {
      dependencyTypesNot: ['core'],
      pathNot: [
        `${server}/(kernel|lib)/`,
        `${server}/db/(tx|executor|errors|column-kinds)\\.ts$`,
        `${server}/pool/task\\.ts$`,
        '^packages/contract/src',
        '/node_modules/(zod|lru-cache)/',
      ],
    },
  },
  {
    name: 'mcp-acts-through-operations',
    comment:
      'A tool does what an operation does: mcp/ sees the contract, kernel/, lib/, markdown/, zod and the SDK of the ' +
      'protocol. Call an operation (context.call), or add one to the contract.',
    from: { path: `${server}/mcp/`, pathNot: '\\.test\\.ts$' },
    to: {
      dependencyTypesNot: ['core'],
      pathNot: [
        `${server}/(mcp|kernel|lib|markdown)/`,
        '^packages/contract/src',
        '/node_modules/(zod|@modelcontextprotocol)/',
      ],
    },
  },
  {
    name: 'markdown-is-made-of-answers',
    comment: 'markdown/ writes the answers of the contract as text: it sees the contract and lib/.',
    from: { path: `${server}/markdown/`, pathNot: '\\.test\\.ts$' },
    to: { dependencyTypesNot: ['core'], pathNot: [`${server}/(markdown|lib)/`, '^packages/contract/src'] },
  },
  {
    name: 'lib-is-a-leaf',
    comment: 'lib/ holds helpers without a domain: it imports packages and itself. Hand in what it needs.',
    from: { path: `${server}/lib/`, pathNot: '\\.test\\.ts$' },
    to: { path: server, pathNot: `${server}/lib/` },
  },
  {
    name: 'pool-knows-no-domain',
    comment: 'pool/ runs any task and stands on lib/ alone: a task is declared and carried out in its module.',
    from: { path: `${server}/pool/` },
    to: { path: server, pathNot: `${server}/(pool|lib)/` },
  },
  {
    name: 'untrusted-formats-only-in-tasks',
    comment:
      'A parser of a format that outsiders write runs in the pool: import it in what a `*.task.ts` imports, and run ' +
      'the task with pool.run(). Exceptions have bounds (docs/decisions/0260).',
    from: {
      path: server,
      pathNot: [
        '\\.(task|test)\\.ts$',
        ...untrustedReaders,
        // SQL: at most 600 tokens of 8 KiB, which `scan` counts before.
        `${server}/modules/sql-grammar/parser\\.ts$`,
        // Patterns of fields: RE2, whose steps are bounded for the longest text.
        `${server}/modules/fields/pattern\\.ts$`,
        // The first 4 KiB of a file, for its type.
        `${server}/modules/files/media-type\\.ts$`,
        // Bundles of workspaces: only the operator's command reads them.
        `${server}/modules/bundles/reading/archive\\.ts$`,
      ],
    },
    to: {
      path: [
        '/node_modules/(mailparser|libmime|ical\\.js|quickjs-[^/]+|@jitl/quickjs-[^/]+|csv-parse|re2js|libpg-query)/',
        '/node_modules/(yauzl|file-type|htmlparser2|parse5|cheerio|jsdom|html-to-text|xml2js|fast-xml-parser|xlsx)/',
        '^(node:)?vm$',
      ],
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'untrusted-readers-only-in-tasks',
    comment: 'It works on what outsiders write, and only a process of the pool may: call it in a `*.task.ts`.',
    from: { path: server, pathNot: ['\\.(task|test)\\.ts$', ...untrustedReaders] },
    to: { path: untrustedReaders, dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'tasks-are-not-imported',
    comment: 'A process of the pool loads a task by its address (defineTask): nothing imports it.',
    from: { path: server },
    to: { path: '\\.task\\.ts$' },
  },
  {
    name: 'db-knows-no-domain',
    comment: 'db/ stands on lib/ alone: domain words belong in a module, its store.ts included.',
    from: { path: `${server}/db/` },
    to: { path: server, pathNot: `${server}/(db|lib)/` },
  },
  {
    name: 'engine-knows-no-domain',
    comment: 'The engine runs durable jobs and knows neither HTTP nor a domain: blocks are handed in by app/.',
    from: { path: `${server}/engine/` },
    to: {
      path: [
        `${server}/(http|modules)/`,
        `${server}/(app/|admin/|demo/|(main|serve|start|worker)\\.ts$)`,
        '^packages/contract/src',
      ],
    },
  },
  {
    name: 'modules-are-composed-in-app',
    comment: 'Modules meet the rest in app/, and the pages for people in pages/: hand in what you need.',
    from: { path: `${server}/(http|kernel|db|engine|pool|config/|config\\.ts)` },
    to: { path: `${server}/modules/` },
  },
  {
    name: 'express-and-trpc-only-in-http',
    comment: 'HTTP stays in http/, pages/ and app/: a handler takes (ctx, input) and returns a resource.',
    from: { path: server, pathNot: [`${server}/(http|pages)/`, `${server}/app/listener\\.ts$`] },
    to: {
      path: [
        '/node_modules/(express|cors|helmet|prom-client|find-my-way|trpc-to-openapi|zod-openapi)/',
        '/node_modules/@types/(express|cors)',
        '/node_modules/@trpc/',
      ],
    },
  },
  {
    name: 'knex-only-in-stores',
    comment:
      'Queries live in db/, in store.ts, in filters/, query/ and sql/: give one of them a function for your need.',
    from: { path: server, pathNot: [`${server}/db/`, '/store\\.ts$', `${server}/modules/(filters|query|sql)/`] },
    to: { path: '/node_modules/knex/' },
  },
  {
    name: 'drivers-only-in-db',
    comment: 'A database driver is a dialect difference, and those live in db/.',
    from: { path: server, pathNot: [`${server}/db/`, '\\.test\\.ts$'] },
    to: { path: '/node_modules/(pg|better-sqlite3|@types/pg|@types/better-sqlite3)/' },
  },
  {
    name: 'modules-meet-at-index',
    comment: "Import another module's index.ts; what it does not export is its own business.",
    from: { path: `${server}/modules/${aModule}/` },
    to: {
      path: `${server}/modules/`,
      pathNot: [`${server}/modules/$1/`, `${server}/modules/${aModule}/index\\.ts$`],
    },
  },
  {
    name: 'modules-stay-inside',
    comment: 'A module sees the kernel, db and engine; http/, pages/, app/ and the settings are handed in.',
    from: { path: `${server}/modules/` },
    to: { path: `${server}/(http/|pages/|app/|admin/|demo/|config/|(main|serve|start|worker|config)\\.ts$)` },
  },
  {
    name: 'modules-have-a-row',
    comment: 'Give the new module its row in moduleRows of .dependency-cruiser.cjs.',
    from: { path: `${server}/modules/[^/]+/`, pathNot: inModules(moduleRows.flat()) },
    to: {},
  },
  ...downhill,
]

module.exports = {
  forbidden: forbidden.map((rule) => ({ severity: 'error', ...rule })),
  options: {
    tsConfig: { fileName: 'tsconfig.base.json' },
    // Types count: a type import ties two files together as much as a value.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // Only our own: most packages live in a dist folder too, and rules must see them. And the programs of the clients'
    // package import what the long tests generate.
    exclude: { path: ['^packages/[^/]+/(dist|coverage)/', '^tests/clients/'] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
}
