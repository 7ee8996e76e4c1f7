import { createContext, runInContext } from 'node:vm'
import { expect, test } from 'vitest'
import { searchEntries } from './search-entries.ts'
import { searchWords } from './search-words.ts'
import { site } from './site.ts'

type Found = { readonly u: string }

const files = await site()

/** The scripts of the pages, as a browser runs them. */
const find = ((): ((query: string) => Found[]) => {
  const browser = createContext({})
  for (const name of ['minisearch', 'search-data', 'search']) runInContext(files[`assets/${name}.js`] ?? '', browser)
  return runInContext('createSearch(MiniSearch, searchData)', browser) as (query: string) => Found[]
})()

/** Searches of newcomers, with the page that each should find. */
const words: [query: string, page: string][] = [
  ['create record', 'reference/records/create.html'],
  ['add record', 'reference/records/create.html'],
  ['add contact', 'reference/records/create.html'],
  ['edit record', 'reference/records/update.html'],
  ['remove record', 'reference/records/remove.html'],
  ['undelete', 'reference/records/restore.html'],
  ['restore', 'guides/self-host.html#restore-a-backup'],
  ['events', 'events.html'],
  ['upsert', 'guides/write-records.html'],
  ['bulk', 'reference/records/createMany.html'],
  ['batch create', 'reference/records/createMany.html'],
  ['merge duplicates', 'reference/records/merge.html'],
  ['dedupe', 'reference/records/merge.html'],
  ['webhook', 'guides/receive-webhooks.html'],
  ['add webhook', 'reference/webhooks/create.html'],
  ['verify signature', 'guides/receive-webhooks.html'],
  ['api key', 'reference/apiKeys'],
  ['new api key', 'reference/apiKeys/create.html'],
  ['auth', 'guides/authentication.html'],
  ['oauth', 'guides/authentication.html#oauth-2-0-apps'],
  ['login', 'guides/sign-in.html'],
  ['two factor', 'guides/accounts.html'],
  ['pagination', 'guides/pages-pagination.html'],
  ['paging', 'guides/pages-pagination.html'],
  ['rate limit', 'guides/versions.html'],
  ['throttling', 'guides/versions.html'],
  ['429', 'errors/rate_limited.html'],
  ['version_mismatch', 'errors/version_mismatch.html'],
  ['conflict', 'errors/version_mismatch.html'],
  ['idempotent', 'guides/safe-writes.html'],
  ['filter', 'guides/find-records.html'],
  ['sort', 'guides/find-records.html'],
  ['sql', 'guides/use-lists.html'],
  ['custom field', 'guides/change-schemas.html'],
  ['custom object', 'guides/change-schemas.html'],
  ['permissions', 'guides/share.html'],
  ['share record', 'reference/access'],
  ['invite member', 'reference/invitations/create.html'],
  ['upload file', 'guides/files.html'],
  ['comment', 'reference/comments/create.html'],
  ['automation', 'guides/workflows.html'],
  ['newsletter', 'reference/campaigns'],
  ['unsubscribe', 'reference/suppressions'],
  ['cors', 'guides/cors-calling-from-a-browser.html'],
  ['sdk', 'guides/sdks-and-clients.html'],
  ['get started', 'guides/start.html'],
  ['quick start', 'guides/start.html'],
  ['five minutes', 'guides/start.html'],
  ['tutorial', 'guides/start.html'],
  ['front end', 'guides/browser-app.html'],
  ['react', 'guides/browser-app.html'],
  ['sign in browser', 'guides/browser-app.html'],
  ['single page app', 'guides/browser-app.html'],
  ['generated client', 'guides/generated-clients.html'],
  ['openapi generator', 'guides/generated-clients.html'],
  ['orval', 'guides/generated-clients.html'],
  ['deprecation', 'guides/versions.html'],
  ['breaking change', 'guides/versions.html'],
  ['retry after', 'guides/versions.html'],
  ['self hosting', 'guides/self-host.html'],
  ['backup', 'guides/self-host.html'],
  ['nginx', 'guides/self-host.html'],
  ['upgrade', 'guides/self-host.html'],
  ['postgres', 'guides/operation.html'],
  ['sharding', 'guides/distributed-postgres.html'],
  ['citus', 'guides/distributed-postgres.html'],
  ['realtime', 'reference/events'],
  ['merge records', 'guides/write-records.html'],
  ['dry run', 'guides/write-records.html'],
  ['create or update', 'guides/write-records.html'],
  ['create object', 'reference/schemas/create.html'],
  ['rename field', 'guides/change-schemas.html'],
  ['schema change', 'guides/change-schemas.html'],
  ['schema yaml', 'guides/schema-as-code.html'],
  ['static list', 'guides/use-lists.html'],
  ['csv export', 'guides/use-lists.html'],
  ['link records', 'guides/link-records.html'],
  ['association', 'guides/link-records.html'],
  ['rich text', 'guides/comment.html'],
  ['mention', 'guides/comment.html'],
  ['activity feed', 'guides/comment.html'],
  ['calendar', 'reference/meetings/importCalendar.html'],
  ['ics', 'guides/meetings.html'],
  ['transcript', 'guides/meetings.html'],
  ['private records', 'guides/share.html'],
  ['find records', 'guides/find-records.html'],
  ['self host', 'guides/self-host.html'],
  ['environment variables', 'guides/operation.html#settings'],
  ['prometheus', 'guides/operation.html'],
  ['verify webhook', 'guides/receive-webhooks.html'],
  ['receive webhook', 'guides/receive-webhooks.html'],
  ['standard webhooks', 'guides/receive-webhooks.html'],
  ['workflow', 'guides/workflows.html'],
  ['trigger', 'guides/workflows.html'],
  ['record created trigger', 'blocks/on-svc-create-record.html'],
  ['svc:send:email', 'blocks/svc-send-email.html'],
  ['audit log', 'reference/activities'],
  ['llm', 'guides/agents.html'],
  ['pagnation', 'guides/pages-pagination.html'],
  ['undo an import', 'guides/import-data.html#undo-an-import'],
  ['rollback import', 'reference/imports/revert.html'],
  ['stop a running workflow', 'reference/workflows/cancelRun.html'],
  ['claude desktop', 'guides/mcp.html'],
  ['german dates csv', 'guides/import-data.html#files-from-other-countries'],
  ['share list with one person', 'guides/share.html#share-a-list'],
  ['who can see a record', 'guides/share.html#explain-access'],
  ['find people of a deal', 'guides/workflows.html#find-related-records'],
  ['lookup user by email', 'reference/users'],
]

test.each(words)('who types "%s" finds %s among the first five', (query, page) => {
  const found = find(query)
    .slice(0, 5)
    .map(({ u }) => u)
  expect(
    found.some((address) => address.startsWith(page)),
    found.join(' '),
  ).toBe(true)
})

/** Words of other products, and where they lead first. */
const firstOf: [query: string, ...pages: string[]][] = [
  ['quickstart', 'guides/start.html'],
  ['expand', 'guides/link-records.html#read-related-records'],
  ['opportunity', 'guides/standard-objects.html'],
  ['pipeline', 'guides/standard-objects.html'],
  ['contact', 'guides/standard-objects.html'],
  ['websocket', 'guides/receive-webhooks.html#event-stream'],
  ['sequence', 'guides/campaigns.html', 'reference/campaigns.html'],
  ['external id', 'guides/standard-objects.html#external-ids'],
  ['foreign key', 'guides/link-records.html'],
  ['upsert', 'guides/write-records.html'],
  ['import csv', 'guides/import', 'guides/command-line.html#kontor-import'],
  ['webhook retry', 'guides/receive-webhooks.html'],
  ['optimistic update', 'guides/optimistic-updates.html'],
  ['filter tree', 'guides/filter-tree.html'],
  ['typescript', 'guides/typescript-client.html'],
  ['restore a backup', 'guides/self-host.html#restore-a-backup'],
  ['webhook', 'guides/receive-webhooks.html'],
  ['gdpr', 'guides/data-and-deletion.html'],
  ['jwt', 'guides/authentication.html'],
  ['field type', 'guides/field-types.html'],
  ['phone number format', 'guides/field-types.html#phone-numbers-phone-numbers'],
  ['select options', 'guides/field-types.html'],
  ['standard objects', 'guides/standard-objects.html'],
  ['retention', 'guides/data-and-deletion.html'],
  ['cli', 'guides/command-line.html'],
  ['kontor user add', 'guides/server-commands.html#kontor-user-add'],
  ...['port', 'change port', 'address already in use', 'EADDRINUSE'].map((query): [string, string] => [
    query,
    'guides/operation.html#settings',
  ]),
  ['redeliver', 'guides/receive-webhooks.html#failed-deliveries'],
  ['webhook deliveries retry', 'guides/receive-webhooks.html'],
  ['failed deliveries', 'guides/receive-webhooks.html#failed-deliveries'],
  ['webhook retry schedule', 'guides/receive-webhooks.html'],
  ['add a comment in a workflow', 'blocks/svc-create-comment.html'],
  ['conditions', 'guides/workflow-variables.html#conditions'],
  ['workflow conditions', 'blocks.html#conditions'],
  ['workflow run status', 'guides/workflows.html#failed-runs', 'reference/workflows/listRuns.html'],
  ['stage change trigger', 'blocks/on-svc-update-record.html'],
  ['errors', 'errors.html'],
  ['error codes', 'errors.html'],
  ['blocks', 'blocks.html'],
  ['2fa', 'guides/accounts.html#second-factor'],
  ['totp', 'guides/accounts.html#second-factor'],
  ['create user', 'guides/sign-in.html#invite-people'],
  ['add user', 'guides/sign-in.html#invite-people'],
  ['invite', 'guides/sign-in.html#invite-people'],
  ['deduplicate', 'reference/records/merge.html'],
  ['react', 'guides/tanstack-query.html', 'guides/browser-app.html'],
  ['docker', 'guides/self-host.html'],
  ['backup', 'guides/self-host.html#back-up'],
  ['backup sqlite', 'guides/self-host.html#back-up'],
  ['restore', 'reference/records/restore.html'],
]

test.each(firstOf)('finds for "%s" the page %s first', (query, ...pages) => {
  const found = find(query).map(({ u }) => u)
  expect(
    pages.some((page) => found[0]?.startsWith(page)),
    found.slice(0, 5).join(' '),
  ).toBe(true)
})

test('what the search finds is there', () => {
  const addresses = words.flatMap(([query]) => find(query).map(({ u }) => u.split('#')[0] ?? ''))
  expect(addresses.filter((address) => files[address] === undefined)).toEqual([])
})

// The prose of all guides, and no code: compressed a fifth of it goes over the wire, once for a reader who searches.
test('what a search loads is small', () => {
  expect(Buffer.byteLength(files['assets/search-data.js'] ?? '')).toBeLessThan(360_000)
})

test('every word that stands for another occurs in the pages', () => {
  const texts = searchEntries.flatMap(({ t, n, x }) => `${t} ${n} ${x}`.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])
  const known = [...new Set(texts)]
  const dead = Object.values(searchWords)
    .flat()
    .filter((word) => !known.some((text) => text.startsWith(word)))
  expect([...new Set(dead)]).toEqual([])
  // Each word is searched for itself, too.
  expect(Object.entries(searchWords).filter(([word, others]) => others.includes(word))).toEqual([])
})
