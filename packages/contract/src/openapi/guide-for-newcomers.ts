import { bodyBytesMax } from '../limits.ts'
import { bulkItemsMax, deletedKeptDays, mergeSourcesMax } from '../records.ts'
import { version } from '../version.ts'

/** Stands for the address of the API; each document names its own. */
export const serverUrlPlaceholder = 'SERVER_URL'

const api = `${serverUrlPlaceholder}/workspaces/acme`

/** The first steps, before anything is explained. */
export const quickStart = `
# Quick start

\`npm start\` starts a server with sample data and prints an API key. Put the key into \`KEY\`:

\`\`\`sh
# a page of people
curl -H "Authorization: api-key $KEY" ${api}/objects/person/resources

# a new person; sent again, the call finds her by her address and changes nothing
curl -H "Authorization: api-key $KEY" -H 'Content-Type: application/json' ${api}/objects/person/records -d '{
  "data": { "type": "person", "attributes": {
    "name": { "first_name": "Ada", "last_name": "Lovelace" },
    "email_addresses": { "items": ["ada@example.com"] } } },
  "match_on": "email_addresses" }'

# the fields of a person
curl -H "Authorization: api-key $KEY" ${api}/schemas/objects/person
\`\`\`

Every operation in this reference has an example, and the sample data contains the records that the examples name.
With a key or token of that workspace the samples run unchanged. Step by step: [quick
start](/docs/guides/start).`

/** The chapters on writing, in the words that people search for. */
export const writing = `
# Creating and changing records

- **One record.** \`POST …/objects/{object}/records\` creates a record. \`PATCH …/records/{id}\` changes the fields that
  you send; \`null\` clears a field. \`DELETE\` deletes the record; for ${deletedKeptDays} days
  \`POST …/records/restore\` restores it.
- **Upsert (create or update).** Send \`match_on\`, the name of a unique field. If a record has the same value in that
  field, your values are merged into it (200); otherwise a record is created (201). Collections are united and omitted
  parts stay, unless \`meta\` contains \`replace\`. Sending the same upsert again changes nothing.
- **Bulk.** \`POST …/records/bulk\` creates or upserts up to ${bulkItemsMax.toLocaleString('en-US')} records;
  \`PATCH …/records\` changes and \`DELETE …/records\` deletes as many. Either all items succeed or none, in bodies of
  up to ${bodyBytesMax.bulk / 1024 ** 2} MiB. With \`atomic=false\`, each item of a bulk creation succeeds or fails
  separately.
- **Merge duplicates.** \`POST …/records/{id}/merges\` merges up to ${mergeSourcesMax} records into one, with their
  values, links, comments and activities. An old id leads to the merged record.

Step by step: [create and update records](/docs/guides/write-records), [relationships](/docs/guides/link-records).

# Custom objects

A workspace can have custom objects beside the built-in ones. \`POST …/schemas/objects\` creates a custom object,
\`POST …/schemas/{entity}/properties\` adds a custom field to any object, built-in ones included, and
\`POST …/schemas/{entity}/relationships\` links two objects. Custom objects and fields work everywhere immediately:
records, filters, search, lists, grants and activities. \`POST …/schemas/objects/{object}/plan\` shows how a change
of an object would affect its records, before you make it. Step by step: [custom objects and
fields](/docs/guides/change-schemas).`

/** The chapters around the API: versions, clients, browsers and webhooks. */
export const surroundings = `
# Versioning

The version of the API is in its path: \`/v1\` only grows. New fields, operations, error details and enum values may
appear at any time, so ignore those that you do not know. Nothing is renamed or removed under \`/v1\`. This server is
Kontor ${version}. Each record also has its own version, in \`ETag\`: see [safe writes](/docs/guides/safe-writes). For
the promises in detail, see [limits and versions](/docs/guides/versions).

# SDKs and clients

The repository contains a typed client for TypeScript, \`@kontor/client\`: \`createKontorClient\` uses tRPC,
\`createRestClient\` uses REST, and \`kontor types\` writes the types of a workspace's own objects. For other languages,
generate an SDK from \`/v1/openapi.json\`, or from \`/v1/workspaces/{workspace}/openapi.json\`, which contains the
objects of that workspace as types: [generate a client](/docs/guides/generated-clients).
Scripts and low-code tools that cannot build URLs can call \`POST /actions/{operation}\` with one flat JSON object
(\`/actions/openapi.json\`).

# CORS: calling from a browser

A page on another origin can call the API once the operator has added that origin to \`CORS_ORIGINS\`
(\`CORS_ORIGINS=https://app.example.com,http://localhost:5173\`). The log names each origin that was refused. The API
accepts no cookies: send a key or, better, an access token of the user, from an [OAuth 2.0
app](/docs/guides/connect-an-app). The token endpoint accepts the origins of an app's redirect URIs without any setting.

# Webhooks

A webhook sends events to a URL as they happen. Create one with \`POST /workspaces/{workspace}/webhooks\` and the event
types that you want (\`record.updated\`, \`record.*\`, \`*\`). A filter can narrow them to an object, to changes of
certain fields, or to records that meet a condition. A webhook sends only events that its owner may see.

- **Body**: the event. Its \`data\` contains the changes; read the record if you need all of it.
- **Signature**: requests are signed according to [Standard Webhooks](https://www.standardwebhooks.com), whose libraries
  verify them. They need the headers \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\`, and the secret,
  which only the response to the creation contains.
- **Response**: any 2xx within 15 seconds is a success. Redirects are not followed.
- **Retries**: a failed request is sent again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, or after
  the time in \`Retry-After\`. A 410 response disables the webhook, and so do five days of nothing but failures.
- **At least once**: a request can arrive twice, with the same \`webhook-id\`, if the server stopped before it stored
  the response. Store the ids that you have handled, and ignore those that you receive again.
- **In order**: the events of a record arrive one after another, unless \`ordered\` is false. A failing event delays
  later events of the same record, but not those of other records.
- **Log**: \`GET …/deliveries\` returns every attempt with request and response, for 30 days. \`resend\` sends one
  again, and \`recover\` sends all that failed since a given time.

To develop, \`kontor webhooks listen --forward http://localhost:3000/hook\` forwards the events of a workspace to a
program on your machine, signed in the same way.

Addresses that are not public are refused, unless the operator allows them (\`WEBHOOK_ALLOWED_HOSTS\`). If you cannot
receive requests, use [polling](/docs/guides/pages-pagination#polling).

Step by step: [webhooks](/docs/guides/receive-webhooks).`
