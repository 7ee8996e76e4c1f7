import type { PageAccounts } from './services/accounts.ts'
import type { Browser, BrowserSession } from '../http/pages/browser.ts'
import { copyScript } from '../http/pages/copy-script.ts'
import { form, shown } from '../http/pages/forms.ts'
import { html, type Html } from '../lib/html.ts'
import { timeOf } from './rows.ts'
import { codeFault, codeField } from './second-step.ts'
import { forSignedInNow } from './signed-in.ts'
import type { PageRoutes, Visit } from '../http/pages/visit.ts'
import newQrCode from 'qrcode-generator'

type SignedIn = Visit & { readonly session: BrowserSession }

type Factor = NonNullable<Awaited<ReturnType<PageAccounts['secondFactor']['find']>>>

/** The services of the page, and its address. */
type Place = { readonly browser: Browser; readonly secondFactor: PageAccounts['secondFactor']; readonly here: string }

/** Turning a second factor on and off, and its recovery codes. */
export function secondFactorPages(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  const { secondFactor } = accounts
  const here = browser.path('/auth/account/second-factor')
  const place: Place = { browser, secondFactor, here }
  const signedInNow = (handler: (visit: SignedIn) => Promise<void>) =>
    forSignedInNow(browser, accounts, () => here, handler)

  routes.get(
    '/auth/account/second-factor',
    signedInNow(async (visit) => {
      const factor = await secondFactor.find(visit.session.userId)
      if (factor === undefined) await showEnrolment(place, visit)
      else showFactor(place, visit, factor)
    }),
  )

  routes.post(
    '/auth/account/second-factor',
    signedInNow(async (visit) => {
      const { setup = '', code = '' } = visit.form
      if ((await secondFactor.find(visit.session.userId)) !== undefined) return visit.goTo(here)
      const codes = await secondFactor.confirm(visit.session.userId, setup, code)
      if (codes === undefined) await showEnrolment(place, visit, setup)
      else showCodes(place, visit, codes, 'The second factor is on')
    }),
    { limited: true },
  )

  /** A form that is sent with a code of the second factor. */
  const proving = (
    path: '/auth/account/second-factor/codes' | '/auth/account/second-factor/remove',
    act: (visit: SignedIn, code: string) => Promise<'wrong' | 'locked' | undefined>,
  ) =>
    routes.post(
      path,
      signedInNow(async (visit) => {
        const factor = await secondFactor.find(visit.session.userId)
        if (factor === undefined) return visit.goTo(here)
        const refused = await act(visit, visit.form['code'] ?? '')
        if (refused !== undefined) showFactor(place, visit, factor, refused)
      }),
      { limited: true },
    )

  proving('/auth/account/second-factor/codes', async (visit, code) => {
    const outcome = await secondFactor.renewCodes(visit.session.userId, code)
    if (typeof outcome === 'string') return outcome
    showCodes(place, visit, outcome.codes, 'New recovery codes')
    return undefined
  })

  proving('/auth/account/second-factor/remove', async (visit, code) => {
    const outcome = await secondFactor.remove(visit.session.userId, code)
    if (outcome !== 'done') return outcome
    visit.goTo(`${browser.path('/auth/account')}?notice=factor-off`)
    return undefined
  })
}

/** Shows a new secret, or that of a form with a wrong code. */
async function showEnrolment({ browser, secondFactor, here }: Place, visit: SignedIn, setup?: string): Promise<void> {
  const enrolment = await secondFactor.enrol(visit.session.userId, setup)
  if (enrolment === undefined) return visit.goTo(browser.path('/auth/account'))
  const error = setup === undefined ? undefined : 'This is not the code that your app currently shows.'
  const body = html`<h1>Turn on a second factor</h1>
<p class="lead">You will enter a code of an authenticator app whenever you sign in.</p>
<p>Scan this with the app, or type the secret into it. Then enter the code that the app shows.</p>
${qrCode(enrolment.uri, 'QR code for your authenticator app')}
${shown({ Secret: enrolment.secret })}
${form(
  { action: here, csrf: visit.csrf, hidden: { setup: enrolment.setup } },
  html`${codeField(error)}
<div class="actions"><button type="submit">Turn it on</button></div>`,
)}
<p class="beside"><a href="${browser.path('/auth/account')}">Back to your account</a></p>`
  const title = 'Turn on a second factor'
  visit.show(
    { title: error === undefined ? title : `Error: ${title}`, body, script: copyScript },
    { status: error === undefined ? 200 : 422 },
  )
}

function showCodes({ browser }: Place, { show }: Visit, codes: readonly string[], title: string): void {
  const body = html`<h1>${title}</h1>
<p class="lead">Keep these recovery codes in a safe place. They are shown only now, and each works once.</p>
${shown({ 'Recovery codes': codes.join('\n') })}
<div class="actions"><a class="button" href="${browser.path('/auth/account')}">I have stored them</a></div>`
  show({ title, body, script: copyScript })
}

function showFactor(
  { browser, here }: Place,
  { csrf, show }: Visit,
  { createdAt, codesLeft }: Factor,
  refused?: 'wrong' | 'locked',
): void {
  const error = refused && codeFault(refused)
  const body = html`<h1>Second factor</h1>
<p class="lead">On since ${timeOf(createdAt)}. Recovery codes left: ${codesLeft}.</p>
${form(
  { action: `${here}/codes`, csrf },
  html`${codeField(error, 'From your app, or a recovery code.')}
<div class="actions"><button class="second" type="submit">Create new recovery codes</button>
<button class="second" type="submit" formaction="${here}/remove">Turn it off</button></div>`,
)}
<p class="beside"><a href="${browser.path('/auth/account')}">Back to your account</a></p>`
  const status = refused === undefined ? 200 : refused === 'locked' ? 429 : 422
  show({ title: error === undefined ? 'Second factor' : 'Error: second factor', body }, { status })
}

/** White around the code, in modules, as the standard asks for (ISO/IEC 18004). */
const margin = 4

/** Draws a QR code as one path, without a style that the policy of the pages would refuse. */
function qrCode(text: string, label: string): Html {
  const code = newQrCode(0, 'M')
  code.addData(text)
  code.make()
  const count = code.getModuleCount()
  const indexes = Array.from({ length: count }, (_, index) => index)
  const path = indexes
    .flatMap((row) =>
      indexes
        .filter((column) => code.isDark(row, column))
        .map((column) => `M${column + margin} ${row + margin}h1v1h-1z`),
    )
    .join('')
  const size = count + 2 * margin
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}"
  shape-rendering="crispEdges">
<rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`
}
