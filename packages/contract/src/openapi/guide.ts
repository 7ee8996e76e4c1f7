import { errorCodes, errorDefinitions } from '../errors.ts'
import { operators } from '../filters.ts'
import { bodyBytesMax, idempotencyKeptHours } from '../limits.ts'
import { searchCountedMax } from '../paging.ts'
import { quickStart, serverUrlPlaceholder, surroundings, writing } from './guide-for-newcomers.ts'

const authentication = `
# Authentication

Send one of these with every request:

| Header | For |
| --- | --- |
| \`Authorization: api-key <API_KEY>\` | programs: a personal key is its user, a workspace key the workspace |
| \`X-API-Key: <API_KEY>\` or \`Authorization: Bearer <API_KEY>\` | the same, for clients that cannot send that |
| \`Authorization: Bearer <ACCESS_TOKEN>\` | people: by \`kontor token\` or your identity provider; apps: by OAuth 2.0 |

Keys begin with \`kp_\` (personal) or \`kw_\` (workspace), older ones with \`pk_\` or \`wk_\`. Send one credential: two
are 401. A few operations take a user access token only, and say so. A credential may be narrowed by scopes such as
\`records:read\`, or \`records:read:person\` for one object; each operation names the scope that it needs, and the least
role. A scope holds for all that a call reads or changes: to include the company of a person, to filter or sort by it,
or to list it as a related record needs \`records:read:company\` too, and so does setting \`company_id\`; to take over
the tasks of another person, or to delete a company that people refer to, changes those records and needs
\`records:write\` for their object. Comments, lists of records and grants need \`records:read\` for the object that they
are about. What is missing is 403 \`insufficient_scope\`, and \`meta.required\` names it. An id that stands in a record,
such as a \`company_id\`, is part of that record. \`POST /workspaces/{workspace}/search\` looks through all objects that
the credential may read, unless it names some. What a caller may not see answers 404, exactly as if it did not exist.

## OAuth 2.0 apps

An app acts for a person who lets it. It is registered with \`kontor oauth-client create\`, sends the person to
\`/oauth2/authorize\` (authorization code flow; PKCE with S256 for apps without a secret) and gets its tokens at
\`/oauth2/token\`; \`/.well-known/openid-configuration\` tells all addresses. It does what its scopes say and the person
may, in the workspaces that they let it into. One that names no scope of the API asks for all that it was registered
for. API keys and who is a member stay with the person, unless the registration names \`keys:write\` or
\`members:write\`. Once the person takes the consent back its tokens are worth nothing.
[Connect an app](/docs/guides/connect-an-app) shows each step.`

const access = `
# Access

An admin manages everything, and a viewer reads what a member may read. What members may do with the records of an
object stands in its schema (\`xSvcAccess.default\`: \`none\`, \`view\`, \`comment\` or \`edit\`); the person who
created a record manages it. Beside that a record, a list or a meeting may be shared, with a member or with the whole
workspace; admins share all records of an object with \`POST /workspaces/{workspace}/objects/{object}/access\`, in the
same shape:

\`\`\`
POST /workspaces/acme/objects/meeting/records/{id}/access
{ "data": { "type": "object-record-access",
            "attributes": { "grantee_type": "user", "grantee_id": "…", "access_level": "edit" } } }
\`\`\`

\`view\`, \`comment\`, \`edit\` and \`manage\` each include those before; the highest of all counts.
\`…/access/explain?user=\` says why a person can or cannot. A workspace key sees what the object or the workspace gives,
and shares nothing.

A meeting says for itself who may see it, in \`visibility\`: \`default\` (what stands above), \`private\` (its owner,
those it is shared with, admins; whatever is granted on all meetings) or \`workspace\` (every member may read it). Who
may share a meeting may change that; what becomes private is shared with the workspace no longer.

What you may not see does not exist for you, anywhere: a reference to it is \`null\`, also to filters and sorts, links
to it are neither listed nor counted, and feeds do not name it. You do not harm it either: emptying a reference that is
empty to you, or replacing the links that you see, leaves it alone. Only that a unique value is taken cannot be hidden
from you.

Step by step: [share records and lists](/docs/guides/share).`

const pages = `
# Pages (pagination)

\`page[offset]\` and \`page[limit]\` choose a page; \`meta.total_records\` is exact. To read everything, follow
\`links.next\` until it is \`null\`: the links are absolute and carry a cursor, so that the last page costs no more than
the first. Brackets may be sent as they are or percent-encoded.

Pages of records may be as large as you like. Above 1,000 records they come in portions as you read them; if something
fails on the way, the connection breaks off before the end of the document. A client that takes nothing for a minute is
cut off.

## Polling

To keep a copy of an object's records, ask for what has changed since the latest \`_updated_at\` that you have seen, and
follow the links to the end:

\`\`\`
GET /workspaces/acme/objects/company/resources
    ?filter[_updated_at][Is after]=2026-01-31T09:30:00.000Z
    &sortOrder[column]=_updated_at&sortOrder[dir]=ASC
\`\`\`

The first time, ask from \`1970-01-01T00:00:00Z\` on. You will miss nothing, however many write at the same time: such a
list ends where changes are still under way, and they come with the next poll. \`_created_at\` does the same for new
records. Deleted records do not show; ask \`GET …/deleted-resources?filter[_deleted_at][Is after]=…\` for them. A record
that is newly shared with you shows at its next change.`

const filters = `
# Filters, sorting and search

\`filter[field]=value\` compares, \`filter[field][Operator]=value\` compares otherwise; all conditions must hold:

\`\`\`
GET /workspaces/acme/objects/company/resources
    ?filter[name][Contains]=steel
    &filter[employee_count][Greater than]=50
    &sortOrder[column]=name&sortOrder[dir]=ASC
\`\`\`

Operators have short names too; which of them apply depends on the field's type.

| Operator | Short |
| --- | --- |
${Object.entries(operators)
  .map(([name, aliases]) => `| ${name} | ${aliases.map((alias) => `\`${alias}\``).join(', ')} |`)
  .join('\n')}

A collection (e-mail addresses, phone numbers, domains, labels, participants, multi-selects) is asked for a part of any
item with \`Contains\`, and for one whole item with \`Is\` or a bare value:

\`\`\`
GET /workspaces/acme/objects/person/resources?filter[email_addresses][Contains]=@acme.com
GET /workspaces/acme/objects/person/resources?filter[email_addresses]=grace@acme.com
\`\`\`

Several values are compared at once, and any of them will do: as a list with commas where the field has options or ids
or the operator is \`One of\` or \`Not one of\`, repeated, or repeated as \`name[]\`. An option is never split: what is
one as a whole is that option, also where it looks like a list or a shorthand. In a body a text is one value, and an
array is many:

\`\`\`
GET /workspaces/acme/objects/deal/resources?filter[stage]=Won,Lost
GET /workspaces/acme/objects/deal/resources?filter[stage][]=Won&filter[stage][]=Lost
\`\`\`

A date without a time, where the values are times, is that day in the time zone of the workspace:
\`filter[_created_at]=2026-12-01\` is from its beginning to its end, \`Is after\` begins with the next day.

Participants of meetings are \`{email, name?, phone_number?, status?, organizer?, type?}\`; a bare address is short for
\`{email}\`. They are compared by address; \`Contains\` looks into the name, too.

Phone numbers are compared digits with digits, whatever stands between them: \`020 7946 0958\`, \`0044 20 7946 0958\`
and \`+44 (0)20 7946 0958\` find \`+442079460958\`, with \`Is\`, \`Contains\` and in searches. A text that is one number
with its country code is stored in that form, with an extension as \`+12125550100;ext=5\`; any other is kept as it was
typed.

The parts of a person's name are columns too: \`name.last_name\`. A select is sorted by the order of its options. Empty
values come last in either direction, and \`_id\` breaks ties. Unknown parameters, fields and operators are errors,
never ignored: the answer says what is allowed. A comma-separated parameter may also be repeated.

## In generated clients

In the OpenAPI document \`filter\` is one parameter whose members are whole parameters, brackets included, as
\`style: form\` with \`explode: true\` has it. openapi-fetch has to be told, or it sends \`filter[filter[name]]\`:

\`\`\`ts
const client = createClient<paths>({
  baseUrl: 'http://127.0.0.1:4000/v1',
  headers: { Authorization: 'api-key …' },
  querySerializer: { object: { style: 'form', explode: true } },
})
await client.GET('/workspaces/{workspace}/objects/{object}/resources', {
  params: {
    path: { workspace: 'acme', object: 'company' },
    query: { 'page[limit]': 10, filter: { 'filter[employee_count][Greater than]': 50 } },
  },
})
\`\`\`

hey-api sends it as it stands. The clients of orval write an object as one text: there put the conditions beside the
other parameters, \`{ 'page[limit]': 10, ...conditions }\`, with \`conditions: object\`.

## Searching

\`search=grace hop\` narrows a list to the records in which all words occur, in whichever fields, regardless of case and
accents; filters, order and links stay as they are. A word of three characters or more is found anywhere, also within
another; one of one or two only at the beginning of a word, but anywhere in scripts that are written without spaces.
Punctuation separates words and means nothing else. \`POST /workspaces/{workspace}/search\` does the same across
objects, the best first. What was written a moment ago is found, and what may not be seen is not.

The fields that hold names, titles, addresses, numbers, labels and places are searched; \`xSvcSearchable\` in a field's
schema takes one out, or takes a long text, a rich text, a URL or a selection in. Of a record, the first 10,000
characters are searched. Up to ${searchCountedMax.toLocaleString('en-US')} records are counted: where there are more,
\`meta.total_capped\` says so.

Step by step: [find records](/docs/guides/find-records).`

const lists = `
# Lists

A *static* list has the records that were added to it. A *dynamic* list has those that its \`query\` finds at the moment
of reading, for each reader as far as they may see them: \`{"filter": …}\` is a tree as of \`POST …/resources/query\`,
\`{"sql": "…"}\` one SELECT. From the moment that a dynamic list is published, joining and leaving it are events in the
feeds of the records. Step by step: [work with lists](/docs/guides/use-lists).

## SQL

\`\`\`sql
SELECT * FROM person WHERE job_title = 'Senator' AND labels IS NOT NULL ORDER BY name

SELECT d.*, "d$company_id:__object__"
FROM deal d JOIN company c ON d.company_id = c._id
WHERE d.stage IN ('Proposal', 'Negotiation') AND d.amount BETWEEN 1000 AND 5000
  AND c.industry ILIKE '%steel%'
ORDER BY d.amount DESC LIMIT 100

SELECT * FROM company c LEFT JOIN deal d ON d.company_id = c._id WHERE d._id IS NULL

SELECT * FROM company WHERE (labels->'items') ?| ARRAY['Key account', 'Partner']
\`\`\`

- It selects from the object of the list, and may join others along their relationships, from either end:
  \`ON one.relationship = other._id\`.
- There are \`= <> < > <= >= IN LIKE ILIKE BETWEEN IS NULL\`, with \`NOT\` where SQL has it, joined by \`AND OR NOT\`. A
  column is compared with constants. \`LIKE\` takes any pattern of \`%\` and \`_\`. \`UPPER\` and \`LOWER\` change
  nothing of texts, which compare regardless of case; around an option or an id they make it so.
- Of an empty value neither a comparison nor its denial holds, as in any SQL; empty values come last in either order.
- What is asked of a joined object of which a record may have many is asked of one of them; such conditions stand by
  themselves, joined by \`AND\`.
- \`ORDER BY\` takes up to five columns of the object, \`LIMIT\` up to 10,000. What is selected changes nothing: answers
  have whole records.
- Everything else is \`unsupported_sql\`: \`meta.token\` and \`meta.character\` say what and where.

When a field is renamed, queries follow. When one goes that a query names, the list's \`list_evaluation_status\` is
\`error\`, and reading its records is \`list_broken\`; planning the change says so beforehand.`

const writes = `
# Safe writes

- **Retries.** With an \`Idempotency-Key\` a change runs once: the same request under the same key gets the first answer
  again, marked \`Idempotency-Replayed: true\`, for ${idempotencyKeptHours} hours. Only successes are kept, so a refused
  request may be mended and sent again under its key. \`GET /workspaces/{workspace}/requests/{key}\` tells whether one
  went through.
- **Lost updates.** Answers carry an \`ETag\`; a change with \`If-Match\` is refused with 412 once another
  change was faster. A weak tag (\`W/"3"\`) is never the current one.
- **Trying out.** \`dry_run=true\` checks everything and writes nothing; \`meta.diff\` says what would have changed.
- **Quiet changes.** \`silent=true\` sends no notifications. Everything else happens as usual.`

const errors = `
# Errors

Every error has the same body, whatever the operation:

\`\`\`json
{
  "errors": [{
    "id": "019b2f6e-7a00-7000-8000-00000000002a",
    "status": "422",
    "code": "invalid_body",
    "title": "${errorDefinitions.invalid_body.title}",
    "detail": "Must be a string.",
    "source": { "pointer": "/data/attributes/name" }
  }]
}
\`\`\`

\`code\` is what a program should look at: the set below is closed, and a code never changes its meaning. A body is
checked to the end, so one answer may hold several errors; \`source\` says where each comes from and \`meta\` helps to
mend it. \`id\` is also the header \`X-Request-Id\`. Where a retry makes sense, wait as many seconds as \`Retry-After\`
says.

| Status | Code, meaning and what to do | Retry |
| --- | --- | --- |
${errorCodes
  .map((code) => {
    const { status, title, retry, fix } = errorDefinitions[code]
    return `| ${status} | \`${code}\` **${title}.** ${fix} | ${retry === 'later' ? 'later' : 'no'} |`
  })
  .join('\n')}`

const mebibytes = (bytes: number): number => bytes / 1024 ** 2

const introduction = `
Kontor is an open CRM backend: objects with fields of your own, records, lists, and what happens around them. This
reference describes its REST API; \`/v1\` only grows, so what works today goes on working.

Bodies are JSON in UTF-8, at most ${mebibytes(bodyBytesMax.normal)} MiB, for the operations on many records
${mebibytes(bodyBytesMax.bulk)} MiB.`

const limits = `
# Limits

Each operation has a bucket of tokens for each workspace, and each call takes one; the bucket fills evenly. Answers say
how it stands: \`X-RateLimit-Limit\` (what the bucket holds), \`X-RateLimit-Remaining\`, \`X-RateLimit-Reset\` (seconds
until it is full), and the same in \`RateLimit\` and \`RateLimit-Policy\`. Where it is empty, the answer is 429, and
\`Retry-After\` says in how many seconds there is a token. \`GET /workspaces/{workspace}/limits\` tells all of them, and
every other limit.

A server that has more to do than it can answers 503 with \`Retry-After\`, before it has done anything: send the same
request again. [Limits and versions](/docs/guides/versions) shows how to live with both.`

const chapters = [
  introduction,
  quickStart,
  authentication,
  access,
  pages,
  filters,
  lists,
  writing,
  writes,
  limits,
  surroundings,
  errors,
]

/** The chapters that precede the operations, in Markdown. `serverUrl` ends with `/v1`. */
export const guideFor = (serverUrl: string): string =>
  chapters
    .map((chapter) => chapter.trim())
    .join('\n\n')
    .replaceAll(serverUrlPlaceholder, () => serverUrl)

/** The chapter on errors alone, for readers outside the reference. */
export const errorGuide = errors.trim()
