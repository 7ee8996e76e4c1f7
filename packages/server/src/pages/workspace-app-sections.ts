import type { RegisteredApp, WorkspaceAppView } from './services/apps.ts'
import { command, shown } from '../http/pages/forms.ts'
import { html, type Html } from '../lib/html.ts'
import { timeOf } from './rows.ts'

type ShownApp = {
  readonly title: string
  readonly app: RegisteredApp
  /** `AUTH_URL`. */
  readonly server: string
  /** Where it is told how an app is connected. */
  readonly guide: string
  readonly back: string
}

/** Renders the credentials of an app; the only time that its secret is shown. */
export const shownApp = ({
  title,
  app: { clientId, secret },
  server,
  guide,
  back,
}: ShownApp): Html => html`<h1>${title}</h1>
${secret !== undefined && html`<p class="lead">Copy the secret now: it is shown only once.</p>`}
${shown({ 'Client id': clientId, ...(secret !== undefined && { 'Client secret': secret }) })}
<h2>How to use it</h2>
<p>Pass ${secret === undefined ? 'the client id' : 'both'} to any library for OAuth 2.0 or OpenID Connect,
with the address of this server, <code>${server}</code>. It reads everything else here:</p>
${command(`curl ${server}/.well-known/openid-configuration`)}
${secret === undefined && html`<p>A public app has no secret; it uses PKCE.</p>`}
<p class="soft">Each request is described in <a href="${guide}">OAuth 2.0 apps</a>.</p>
<div class="actions"><a class="button" href="${back}">${
  secret === undefined ? 'Back to the apps' : 'I have copied it'
}</a></div>`

/** Describes how many people have connected an app. */
export const letInBy = (people: number): string =>
  people === 0 ? 'Not used by any member yet' : `Used by ${people === 1 ? '1 person' : `${people} people`}`

/** An app in the list, and what can be done with it. */
export const appRow = (
  { id, name, type, redirectUris, scopes, createdAt, people }: WorkspaceAppView,
  here: string,
): Html => html`<div><strong>${name}</strong>
<span class="soft">Client id ${id} · ${type === 'public' ? 'Public' : 'Confidential'}<br>
Registered ${timeOf(createdAt)} · ${letInBy(people)}</span>
<p class="where">Permissions</p><ul class="soft">${scopes.map((text) => html`<li>${text}</li>`)}</ul>
<p class="where">Redirect URIs</p><ul class="soft">${redirectUris.map((uri) => html`<li>${uri}</li>`)}</ul></div>
<div class="pair">${
  type === 'confidential' &&
  html`<a class="button second small" href="${here}/${id}/rotate" aria-label="Rotate the secret of ${name}">Rotate</a>`
}
<a class="button second small" href="${here}/${id}/remove" aria-label="Remove ${name}">Remove</a></div>`
