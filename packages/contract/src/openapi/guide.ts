import { errorCodes, errorDefinitions } from '../errors.ts'
import { operators } from '../filters.ts'
import { bodyBytesMax, callsPerMinute, idempotencyKeptHours } from '../limits.ts'
import { searchCountedMax } from '../paging.ts'
import { quickStart, serverUrlPlaceholder, surroundings, writing } from './guide-for-newcomers.ts'

const authentication = `
# Authentication

Send an API key or an access token with every request. Members create API keys on their account page
(\`/auth/account\`) or with \`POST /workspaces/{workspace}/api-keys\`, and operators with \`kontor key create\`:

\`\`\`
GET /workspaces/acme/users
Authorization: api-key kp_…
\`\`\`

There are three kinds of credentials:

| Credential | Acts as |
| --- | --- |
| personal API key (\`kp_…\`) | the user who created it |
| workspace API key (\`kw_…\`) | the workspace, and no user |
| access token | a user: from \`kontor token\`, your identity provider, or an OAuth 2.0 app |

Send one of these headers. If a request has two credentials, the response is 401:

| Header | For |
| --- | --- |
| \`Authorization: api-key <API_KEY>\` | API keys |
| \`X-API-Key: <API_KEY>\` or \`Authorization: Bearer <API_KEY>\` | API keys, for clients that cannot send the first |
| \`Authorization: Bearer <ACCESS_TOKEN>\` | access tokens |

Older keys begin with \`pk_\` or \`wk_\`. A few operations accept only a user access token, as their pages show.

## Scopes

Scopes limit a credential: \`records:read\` applies to all objects, \`records:read:person\` to one. The page of each
operation names the required scope and the lowest role. A call needs a scope for everything that it reads or changes:

- To include, filter by, sort by or list the company of a person, or to set \`company_id\`, a credential also needs
  \`records:read:company\`. The id in \`company_id\` is part of the person.
- If a change also changes other records, a credential needs \`records:write\` for their objects: for example, if you
  delete a company that people refer to, or link tasks to a person that belonged to another one.
- Comments, lists of records and grants require \`records:read\` for their object.
- \`POST /workspaces/{workspace}/search\` searches all objects that the credential may read, unless the request names
  some.

If a scope is missing, the response is 403 \`insufficient_scope\`, and \`meta.required\` names it. If the caller may not
see a resource, the response is 404, exactly as if the resource did not exist.

## OAuth 2.0 apps

An app acts for a user who has consented. Register it on your account page (\`/auth/account\`, *Apps*) or with
\`kontor oauth-client create\`. The app sends the user to \`/oauth2/authorize\` (authorization code flow; PKCE with
S256 for apps without a secret) and receives its tokens at \`/oauth2/token\`. \`/.well-known/openid-configuration\`
lists all addresses.

- The app can do what both its scopes and the rights of the user allow, in the workspaces that the user has chosen.
- An app that requests no scope of the API requests all that it was registered for.
- Apps cannot manage API keys or members, unless they are registered with \`keys:write\` or \`members:write\`.
- When the user withdraws the consent, the tokens stop working.

[OAuth 2.0 apps](/docs/guides/connect-an-app) shows each step.`

const access = `
# Access

- Admins manage everything. Viewers can read what a member can read.
- The schema of an object decides what members may do with its records: \`xSvcAccess.default\` is \`none\`,
  \`view\`, \`comment\` or \`edit\`.
- The creator of a record manages it.
- A record, a list or a meeting can be shared with a member or with the whole workspace, as below. Admins share all
  records of an object in the same form, with \`POST /workspaces/{workspace}/objects/{object}/access\`.

\`\`\`
POST /workspaces/acme/objects/meeting/records/{id}/access
{ "data": { "type": "object-record-access",
            "attributes": { "grantee_type": "user", "grantee_id": "…", "access_level": "edit" } } }
\`\`\`

\`view\`, \`comment\`, \`edit\` and \`manage\` each include the levels before them. If several levels apply to a
member, the highest counts. \`…/access/explain?user=\` explains the access of a user. A workspace key has the access
that the default of the object or a grant to the whole workspace gives, and cannot share.

A meeting also has a \`visibility\`:

- \`default\`: the rules above apply.
- \`private\`: only its owner, people it is shared with, and admins can see it, whatever is granted on all meetings. A
  meeting that becomes private is no longer shared with the workspace.
- \`workspace\`: every member can read it.

Anyone who may share a meeting may change its visibility.

A record that you may not see does not exist for you:

- A reference to it is \`null\`, also in filters and sorts.
- Links to it are neither listed nor counted, and events and activities do not name it.
- You cannot change it by accident: if you clear a reference that you see as empty, or replace the links that you see,
  hidden links stay.
- There is one exception: if a hidden record has a value that must be unique, you receive 409 when you write the same
  value.

Step by step: [access and sharing](/docs/guides/share).`

const pages = `
# Pages (pagination)

\`page[limit]\` is the size of a page, and \`page[offset]\` the number of records before it. \`meta.total_records\` is
the exact total; only a search stops to count at ${searchCountedMax.toLocaleString('en-US')}, and then
\`meta.total_capped\` is true. To read everything, follow \`links.next\` until it is \`null\`. The links are absolute
and contain a cursor, so the last page is as fast as the first. You can send brackets unencoded or percent-encoded.

Pages of records have no maximum size. A response with more than 1,000 records is streamed: if something fails on the
way, the connection closes before the end of the JSON document. Kontor disconnects a client that reads nothing for a
minute.

## Polling

To keep a copy of an object's records, list those that have changed since the latest \`_updated_at\` that you have seen,
and follow the links to the last page:

\`\`\`
GET /workspaces/acme/objects/company/resources
    ?filter[_updated_at][Is after]=2026-01-31T09:30:00.000Z
    &sortOrder[column]=_updated_at&sortOrder[dir]=ASC
\`\`\`

The first time, start at \`1970-01-01T00:00:00Z\`. You miss no change, however many clients write at the same time: the
list ends before changes that are still being written, and the next poll returns them. \`_created_at\` does the same for
new records. Deleted records are not listed; \`GET …/deleted-resources?filter[_deleted_at][Is after]=…\` lists them. A
record that is newly shared with you is listed at its next change.`

const filters = `
# Filters, sorting and search

\`filter[field]=value\` tests for equality, \`filter[field][Operator]=value\` uses another operator. All conditions
must be true:

\`\`\`
GET /workspaces/acme/objects/company/resources
    ?filter[name][Contains]=steel
    &filter[employee_count][Greater than]=50
    &sortOrder[column]=name&sortOrder[dir]=ASC
\`\`\`

Operators also have short names. The type of a field decides which operators it accepts: see [field
types](/docs/guides/field-types).

| Operator | Short |
| --- | --- |
${Object.entries(operators)
  .map(([name, aliases]) => `| ${name} | ${aliases.map((alias) => `\`${alias}\``).join(', ')} |`)
  .join('\n')}

The last four need no value. With \`false\`, each means its opposite: \`filter[company_id][is_null]=false\`. Any other
value but \`true\` is rejected.

In a collection (e-mail addresses, phone numbers, domains, labels, participants, multi-selects), \`Contains\` finds a
part of any item, and \`Is\` or a bare value finds one whole item:

\`\`\`
GET /workspaces/acme/objects/person/resources?filter[email_addresses][Contains]=@acme.com
GET /workspaces/acme/objects/person/resources?filter[email_addresses]=grace@acme.com
\`\`\`

To match any of several values, repeat the parameter, repeat it as \`name[]\`, or separate the values with commas:

\`\`\`
GET /workspaces/acme/objects/deal/resources?filter[stage]=Won,Lost
GET /workspaces/acme/objects/deal/resources?filter[stage][]=Won&filter[stage][]=Lost
\`\`\`

Commas separate values only in fields with options or ids, and for \`One of\` and \`Not one of\`. A value that is an
option is never split, even if it contains commas. In a body, a string is one value and an array is several.

Participants of meetings are \`{email, name?, phone_number?, status?, organizer?, type?}\`; an address as a string is
short for \`{email}\`. Participants are compared by address; \`Contains\` also searches the name.

Phone numbers are compared by their digits: \`020 7946 0958\`, \`0044 20 7946 0958\` and \`+44 (0)20 7946 0958\` find
\`+442079460958\`, with \`Is\`, with \`Contains\` and in searches. A number with a country code is stored in that form,
with an extension as \`+12125550100;ext=5\`; any other text is stored as typed.

The parts of a person's name are columns too: \`name.last_name\`. A select is sorted by the order of its options. Empty
values come last in either direction. Records with equal values are sorted by \`_id\`. Unknown parameters, fields and
operators are errors; the response lists what is allowed. A comma-separated parameter may also be repeated.

## Dates and times

For a timestamp, a date without a time means that whole day in the time zone of the workspace:
\`filter[_created_at]=2026-12-01\` finds the day from beginning to end, and \`Is after\` starts with the next day.

\`Within\` compares a date or a time with a period:

\`\`\`
GET /workspaces/acme/objects/deal/resources?filter[close_date][Within]=next_quarter
GET /workspaces/acme/objects/deal/resources?filter[_created_at][Within]=-7d
\`\`\`

| Period | Meaning |
| --- | --- |
| \`yesterday\`, \`today\`, \`tomorrow\` | that day |
| \`last_week\`, \`this_week\`, \`next_week\` | that week, from Monday |
| \`last_month\`, \`this_month\`, \`next_month\` | that month; also with \`day\`, \`quarter\` or \`year\` |
| \`-7d\` | the time from seven days ago until now |
| \`+2w\` | the time from now until two weeks from now |

The units are \`h\` (hours), \`d\` (days), \`w\` (weeks), \`m\` (months), \`q\` (quarters) and \`y\` (years). Quarters
and years follow the setting \`fiscalYearOffset\` of the workspace. In a query string, write \`+\` as \`%2B\`.

## In generated clients

In the OpenAPI document, \`filter\` is one parameter with \`style: form\` and \`explode: true\`: an object, each member
of which is a complete parameter such as \`filter[name]\`. openapi-fetch needs an option for this. Without it, it sends
\`filter[filter[name]]\`:

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

hey-api sends it correctly. Clients of orval send an object as one text. There, declare \`conditions: object\`, and put
the conditions next to the other parameters: \`{ 'page[limit]': 10, ...conditions }\`.

## Searching

\`search=grace hop\` narrows a list to records that contain all the words, in any field, regardless of case and accents.
It can be combined with filters and sorting. Words of three characters or more are found anywhere, also inside other
words; shorter ones only at the beginning of a word, or anywhere in scripts that are written without spaces. Punctuation
only separates words. \`POST /workspaces/{workspace}/search\` searches across objects and returns the best matches
first. New records are found immediately. Records that you may not see are never found.

Fields with names, titles, addresses, numbers, labels and places are searched. Long texts, rich texts, URLs and selects
are not. To change this for a field, set \`xSvcSearchable\` in its schema to true or false. The first 10,000 characters
of a record are searched. The total counts up to ${searchCountedMax.toLocaleString('en-US')} records;
\`meta.total_capped\` is true if there are more.

Step by step: [filters, sorting and search](/docs/guides/find-records).`

const lists = `
# Lists

A *static* list contains the records that were added to it. A *dynamic* list contains the records that its \`query\`
finds when it is read, as far as the reader may see them. The query is a filter tree, \`{"filter": …}\`, as in
\`POST …/resources/query\`, or one SELECT, \`{"sql": "…"}\`. Once a dynamic list is published, joining and leaving it
are events in the activities of the records. Step by step: [lists](/docs/guides/use-lists).

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

- A query selects from the object of the list. It can join other objects along their relationships, from either end:
  \`ON one.relationship = other._id\`.
- The operators are \`= <> < > <= >= IN LIKE ILIKE BETWEEN IS NULL\`, with \`NOT\` as in SQL, combined with
  \`AND OR NOT\`. Columns can only be compared with constants. \`LIKE\` accepts any pattern of \`%\` and \`_\`. Texts
  are compared regardless of case; \`UPPER\` and \`LOWER\` do the same for an option or an id.
- For an empty value, both a comparison and its negation are false, as in SQL. Empty values come last in either order.
- If there are many joined records, such as the deals of a company, a condition on them is true if one of them matches.
  Combine such conditions only with \`AND\`.
- \`ORDER BY\` accepts up to five columns of the object, \`LIMIT\` up to 10,000. The selected columns have no effect:
  responses contain whole records.
- Everything else is \`unsupported_sql\`; \`meta.token\` and \`meta.character\` show the place.

If a field is renamed, queries follow. If a field that a query needs is removed, the list's \`list_evaluation_status\`
is \`error\`, and reading its records returns \`list_broken\`; the plan of the change names such lists.`

const writes = `
# Safe writes

- **Retries.** With an \`Idempotency-Key\` a change runs once. For ${idempotencyKeptHours} hours, the same request with
  the same key returns the first response again, with \`Idempotency-Replayed: true\`. Only successful responses are
  stored, so you can fix a rejected request and send it again with its key.
  \`GET /workspaces/{workspace}/requests/{key}\` shows whether a request succeeded.
- **Lost updates.** Responses have an \`ETag\`. A change with \`If-Match\` is rejected with 412 if someone else has
  changed the record. A weak tag (\`W/"3"\`) never matches.
- **Trying out.** \`dry_run=true\` checks everything and writes nothing; \`meta.diff\` shows what would change.
- **Quiet changes.** \`silent=true\` sends no notifications to people. Events, webhooks and workflows happen as usual.`

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

Programs should check \`code\`: none of the codes below changes its meaning. Later versions may add codes: handle one
that your program does not know by its status. The whole body is checked, so one response lists every error.
\`source\` shows where an error is, and \`meta\` helps to fix it. \`id\` is also the header \`X-Request-Id\`. If a
retry makes sense, wait for the number of seconds in \`Retry-After\`.

| Status | Error | Retry |
| --- | --- | --- |
${errorCodes
  .map((code) => {
    const { status, title, retry, fix } = errorDefinitions[code]
    return `| ${status} | \`${code}\` **${title}.** ${fix} | ${retry === 'later' ? 'later' : 'no'} |`
  })
  .join('\n')}`

const mebibytes = (bytes: number): number => bytes / 1024 ** 2

const introduction = `
Kontor is an open CRM backend with objects and fields of your own, records, lists, workflows and campaigns. This
reference describes its REST API. \`/v1\` only grows, so programs that work today keep working.

Bodies are JSON in UTF-8, of at most ${mebibytes(bodyBytesMax.normal)} MiB, or ${mebibytes(bodyBytesMax.bulk)} MiB for
bulk operations.`

const limits = `
# Limits

Each operation can be called ${callsPerMinute.toLocaleString('en-US')} times a minute in each workspace, by all callers
together, unless the operator sets another number. This works as a bucket of tokens: each call takes one token, and the
bucket refills evenly. If it is empty, the response is 429. These headers show the state of the bucket:

| Header | Contains |
| --- | --- |
| \`X-RateLimit-Limit\` | the size of the bucket |
| \`X-RateLimit-Remaining\` | the tokens in it |
| \`X-RateLimit-Reset\` | the seconds until it is full |
| \`RateLimit\`, \`RateLimit-Policy\` | the same in the standard form |
| \`Retry-After\` | with 429: the seconds until the next token |

\`GET /workspaces/{workspace}/limits\` returns these and all other limits.

An overloaded server returns 503 with \`Retry-After\` before it has done anything: send the same request again. [Limits
and versions](/docs/guides/versions) shows how to handle both.`

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
