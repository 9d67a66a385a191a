import type { NextRequest } from 'next/server';
import { answerTicket } from '@/lib/domains/compute/console';

/** Exchanges the ticket of a console's URL for its cookie, and leads to the console. */
export async function GET(request: NextRequest, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  return answerTicket((await params).id, request.nextUrl.searchParams);
}
