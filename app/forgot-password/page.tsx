import { ForgotPassword } from '@/components/identity/forgot-password';
import { StandAlone } from '@/components/kit/page/stand-alone';

/** Asks for a link by which a person chooses a new password. */
export default function ForgotPasswordPage() {
  return (
    <StandAlone title="Forgot password">
      <ForgotPassword />
    </StandAlone>
  );
}
