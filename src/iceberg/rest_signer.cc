#include "iceberg/rest_signer.h"

#include "base/bytes.h"
#include "http/aws_signature.h"
#include "io/s3_credentials.h"

namespace weir::iceberg {

RestSigner::RestSigner(std::string service, std::string region,
                       std::shared_ptr<io::S3CredentialSource> credentials, Clock& clock)
    : service_(std::move(service)),
      region_(region.empty() ? io::DefaultRegion() : std::move(region)),
      credentials_(credentials ? std::move(credentials) : io::DefaultCredentials(region_, clock)),
      clock_(clock) {}

Status RestSigner::Sign(http::Request& request) {
  WEIR_ASSIGN_OR_RETURN(const io::S3Credentials keys, credentials_->Get());
  for (http::Header& header : request.headers) {
    if (header.name == "Authorization") header.name = "Original-Authorization";
  }
  return http::SignForAws(request,
                          {.access_key = keys.access_key,
                           .secret_key = keys.secret_key,
                           .session_token = keys.session_token},
                          {.region = region_, .service = service_}, Sha256Hex(request.body),
                          clock_.Now());
}

}  // namespace weir::iceberg
