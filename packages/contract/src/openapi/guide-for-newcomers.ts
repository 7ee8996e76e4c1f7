import { bodyBytesMax } from '../limits.ts'
import { bulkItemsMax, deletedKeptDays, mergeSourcesMax } from '../records.ts'
import { version } from '../version.ts'

/** Stands for the address of the API; each document names its own. */
export const serverUrlPlaceholder = 'SERVER_URL'

const api = `${serverUrlPlaceholder}/workspaces/acme`

/** What to do first, before anything is explained. */
export const quickStart = `
# Quick start

\`npm start\` serves with sample data, and prints an API key. With it in \`KEY\`:

\`\`\`sh
# a page of people
curl -H "Authorization: api-key $KEY" ${api}/objects/person/resources

# a new person; the same call again finds her by her address, and changes nothing
curl -H "Authorization: api-key $KEY" -H 'Content-Type: application/json' ${api}/objects/person/records -d '{
  "data": { "type": "person", "attributes": {
    "name": { "first_name": "Ada", "last_name": "Lovelace" },
    "email_addresses": { "items": ["ada@example.com"] } } },
  "match_on": "email_addresses" }'

# what a person is made of
curl -H "Authorization: api-key $KEY" ${api}/schemas/objects/person
\`\`\`

Every path here has an example, and the sample data has what the examples name: with a key or a token of that workspace,
the samples run as they stand. More of this, step by step: [start in five minutes](/docs/guides/start).`

/** How records are written, in the words that people search for. */
export const writing = `
# Creating and changing records

- **One record.** \`POST …/objects/{object}/records\` creates, \`PATCH …/records/{id}\` changes what it names and leaves
  the rest; \`null\` clears. \`DELETE\` removes; for ${deletedKeptDays} days \`POST …/records/restore\` brings back what
  was deleted.
- **Upsert (create or update).** With \`match_on\`, the name of a unique field, a record that has the same value there
  is merged into (200), and otherwise one is created (201): collections are united, absent parts stay, unless \`meta\`
  says \`replace\`. Sent twice, the second changes nothing.
- **Bulk.** \`POST …/records/bulk\` creates or upserts up to ${bulkItemsMax.toLocaleString('en-US')} records,
  \`PATCH …/records\` changes and \`DELETE …/records\` removes as many, all or none, in bodies of up to
  ${bodyBytesMax.bulk / 1024 ** 2} MiB. With \`atomic=false\` each item of a bulk creation stands for itself.
- **Merge duplicates.** \`POST …/records/{id}/merges\` merges up to ${mergeSourcesMax} records into one: values, links,
  comments and activities together. The old ids lead to the record that they live on in.

Step by step: [write records](/docs/guides/write-records), [link records](/docs/guides/link-records).

# Custom objects

Beside the built-in objects a workspace has objects of its own: \`POST …/schemas/objects\` makes a custom object,
\`POST …/schemas/{entity}/properties\` adds a custom field, also to built-in objects, and
\`POST …/schemas/{entity}/relationships\` links two objects. What is made so has all of this reference at once: records,
filters, search, lists, grants, activities. \`POST …/schemas/objects/{object}/plan\` says beforehand what a change of an
object would do to its records. Step by step: [make objects and change them](/docs/guides/change-schemas).`

/** What surrounds the API: versions, clients, browsers, and being told of changes. */
export const surroundings = `
# Versioning

The version of the API stands in its path: \`/v1\` only grows. New fields, operations, error details and words where
an answer has one of a few may appear at any time, so ignore what you do not know; nothing is renamed or taken away
under \`/v1\`. This server is Kontor ${version}. A record has a version of its own, in \`ETag\`: see [safe
writes](/docs/guides/safe-writes). What a program may rely on: [limits and versions](/docs/guides/versions).

# SDKs and clients

There is a typed client for TypeScript, \`@kontor/client\`, in the repository: \`createKontorClient\` speaks tRPC,
\`createRestClient\` REST, and \`kontor types\` writes the types of a workspace's own objects. For other languages
generate an SDK from \`/v1/openapi.json\`, or from \`/v1/workspaces/{workspace}/openapi.json\`, in which the objects of
that workspace are types: [generate a client](/docs/guides/generated-clients).
Scripts and low-code tools that cannot build URLs call \`POST /actions/{operation}\` with one flat JSON object
(\`/actions/openapi.json\`).

# CORS: calling from a browser

A page on another origin may call once the operator of the server has put its origin into \`CORS_ORIGINS\`
(\`CORS_ORIGINS=https://app.example.com,http://localhost:5173\`); the log names each origin that was refused. No cookie
opens the API: the page sends a key or, better, a token of the person who uses it, from an [OAuth 2.0
app](/docs/guides/connect-an-app). The token endpoint lets in the origins of an app's redirect URIs without any setting.

# Webhooks

A webhook sends events to a URL as they happen: \`POST /workspaces/{workspace}/webhooks\` with the types that are
wanted (\`record.updated\`, \`record.*\`, \`*\`) and, if not all of them, a filter: an object, fields that must
change, a condition on the record. It sends what its owner may see.

Requests are signed as [Standard Webhooks](https://www.standardwebhooks.com) says, so its libraries verify them: with
the headers \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\`, and the secret in the answer of the
creation. The body is the event. Any 2xx within 15 seconds is success; redirects are not followed. What fails is sent
again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, or as \`Retry-After\` says. 410 disables, and so
do five days of nothing but failures.

**At least once**: where the server dies after a request and before it has stored its answer, the request is sent
again, under the same \`webhook-id\`. Keep the ids that you have handled, and pass over those that come again. **In
order**: the events of a record come one after another, unless \`ordered\` is false; one that fails holds up those
behind it, and those of no other record. \`data\` says what changed; who needs all of the record reads it.

\`GET …/deliveries\` has every attempt with what was sent and answered, for 30 days; \`resend\` sends one again, and
\`recover\` all that failed since a time. To develop, \`kontor webhooks listen --forward http://localhost:3000/hook\`
forwards the events of a workspace to a program on your machine, signed in the same way.

Addresses that are not public are refused, unless the operator opens them (\`WEBHOOK_ALLOWED_HOSTS\`). Who would
rather ask than be called [polls](/docs/guides/pages-pagination#polling).

Step by step: [receive webhooks](/docs/guides/receive-webhooks).`
