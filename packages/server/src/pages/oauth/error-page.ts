import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import { memberOf } from '../../lib/guards.ts'
import { html } from '../../lib/html.ts'
import { pageHeaders, renderPage } from '../../http/pages/layout.ts'

/** Explanations of errors for the person; developers of the app find the details below. */
const explanations: Readonly<Record<string, string>> = {
  invalid_client: 'No such app is connected to this server. It may have been removed.',
  invalid_redirect_uri:
    'The app requested a redirect to an address that is not registered for it. For your safety, you ' +
    'were not redirected.',
  invalid_request:
    'The request of the app is incomplete, or this page was open for too long. Go back to the app and start again.',
  server_error: 'Something went wrong. Try again in a moment.',
}

/** An error that must not, or cannot, be told to the app: a page for the person, and never a redirect. */
export function sendErrorPage(ctx: KoaContextWithOIDC, { error, error_description }: ErrorOut, cause: Error): void {
  const statusCode = memberOf(cause, 'statusCode')
  ctx.status = typeof statusCode === 'number' ? statusCode : 500
  ctx.set(pageHeaders([]))
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = renderPage({
    title: 'This app could not be connected',
    body: html`<h1>This app could not be connected</h1>
<p>${explanations[error] ?? explanations['invalid_request']}</p>
<p class="soft">For the makers of the app: <code>${error}</code>${
      error_description !== undefined && html`, ${error_description}`
    }.</p>`,
  })
}
